#!/usr/bin/env bash
# `bazel test` with a readable end: tools/bazel-test.sh [startup options] -- ARGUMENTS OF bazel test
# Prints failing tests' output, then tools/test-summary.py's table, whose last line is `N passed, N failed`.
# Exit status: 0 if all is well, 1 if a test failed or did not build, 2 and more if Bazel itself could not work.
set -euo pipefail

startup=()
while (($#)) && [[ $1 != "--" ]]; do
  startup+=("$1")
  shift
done
(($#)) || { echo "usage: $0 [startup options] -- ARGUMENTS OF bazel test" >&2; exit 2; }
shift

here="$(dirname "${BASH_SOURCE[0]}")"
events="$(mktemp)"
trap 'rm -f "$events"' EXIT

status=0
"${BAZEL:-bazel}" "${startup[@]}" test --keep_going --test_summary=none --build_event_json_file="$events" "$@" || status=$?

# 0 fine, 1 a target did not build, 3 a test failed: those the summary can tell; all else is Bazel's own trouble.
case "$status" in
  0 | 1 | 3) ;;
  *) exit "$status" ;;
esac
summary=0
python3 "$here/test-summary.py" "$events" || summary=1
((status == 0)) || exit 1
exit "$summary"
