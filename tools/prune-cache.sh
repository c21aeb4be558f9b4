#!/usr/bin/env bash
# Bounds a Bazel disk cache: tools/prune-cache.sh FOLDER GIGABYTES DAYS
# Deletes files not read for DAYS days, then the longest unread ones until at most GIGABYTES are left. Bazel takes a
# missing file for a miss and builds it again, so this is safe at any time.
set -euo pipefail
(($# == 3)) || { echo "usage: $0 FOLDER GIGABYTES DAYS" >&2; exit 2; }
folder="$1"
bytes=$(($2 * 1024 * 1024 * 1024))
days="$3"
[[ -d $folder ]] || exit 0

find "$folder" -type f -atime "+$days" -delete
# Newest first: everything after the point where the bound is passed goes. Bazel's names hold no white space.
find "$folder" -type f -printf '%A@ %s %p\n' | sort -rn |
  awk -v bound="$bytes" '{ total += $2 } total > bound { print $3 }' | xargs -r rm -f --
