#!/usr/bin/env bash
# Tries commands on a fresh Debian 12: tools/fresh-machine.sh [--sudo] [--keep] [command...]
#   default commands: 'make test' 'make demo'
# Makes a minimal Debian in a temporary folder (debootstrap, from the archive that this machine's apt uses), clones the
# last commit of this repository into it, and runs each command in the clone: with an empty environment, and in process
# and mount namespaces of their own, so that nothing outlives the script. Prints each command's result and seconds, and
# what it left running. Exit status 0 if every command succeeded.
#   --sudo   run as an ordinary user who may use sudo, not as root
#   --keep   leave the folder for a look (about 4 GB)
# Needs root, debootstrap (tier dev of tools/setup.sh) and about 5 GB.
set -euo pipefail

sudo_user=""
keep=""
while [[ ${1:-} == --* ]]; do
  case "$1" in
    --sudo) sudo_user=yes ;;
    --keep) keep=yes ;;
    *)
      echo "usage: $0 [--sudo] [--keep] [command...]" >&2
      exit 2
      ;;
  esac
  shift
done
(($#)) || set -- 'make test' 'make demo'
((EUID == 0)) || { echo "fresh-machine: run this as root (it makes a chroot)" >&2; exit 1; }
command -v debootstrap >/dev/null || { echo "fresh-machine: debootstrap is missing: tools/setup.sh dev" >&2; exit 1; }

repository="$(git -C "$(dirname "${BASH_SOURCE[0]}")" rev-parse --show-toplevel)"
[[ -z "$(git -C "$repository" status --porcelain)" ]] ||
  echo "fresh-machine: warning: changes that are not committed are not tried" >&2

work="$(mktemp -d "${TMPDIR:-/tmp}/muster-fresh.XXXXXX")"
root="$work/root"
finish() {
  if [[ -n $keep ]]; then echo "fresh-machine: kept $work"; else rm -rf --one-file-system "$work"; fi
}
trap finish EXIT

# This machine's own sources of Debian 12, whatever file and form they are written in.
# shellcheck disable=SC2016  # apt-get fills these in
sources="$(apt-get indextargets 'Identifier: Packages' --format 'deb $(REPO_URI) $(RELEASE) $(COMPONENT)' |
  awk '$3 ~ /^bookworm/ && $4 == "main" && !seen[$0]++')"
mirror="$(awk '$3 == "bookworm" { print $2; exit }' <<<"$sources")"
[[ -n $mirror ]] || { echo "fresh-machine: this machine's apt has no source for bookworm/main" >&2; exit 1; }

seconds() { echo "$(($(date +%s) - $1)) s"; }

start="$(date +%s)"
debootstrap --variant=minbase --include=ca-certificates,git,make,sudo bookworm "$root" "$mirror" >"$work/debootstrap.log" 2>&1 ||
  { tail -n 20 "$work/debootstrap.log" >&2; exit 1; }
echo "$sources" >"$root/etc/apt/sources.list"
apt-config dump Acquire >"$root/etc/apt/apt.conf.d/90acquire"
[[ ! -e /etc/resolv.conf ]] || cp --dereference /etc/resolv.conf "$root/etc/resolv.conf"
user=root
home=/root
if [[ -n $sudo_user ]]; then
  user=dev
  home=/home/dev
  chroot "$root" useradd --create-home "$user"
  echo "$user ALL=(ALL) NOPASSWD: ALL" >"$root/etc/sudoers.d/$user"
fi
git clone -q --no-hardlinks "$repository" "$root$home/muster"
chroot "$root" chown -R "$user:" "$home"
echo "fresh-machine: minimal Debian and clone of $(git -C "$repository" rev-parse --short HEAD) ready: $(seconds "$start")"

# Runs inside the namespaces, as their first process: when it ends, the kernel ends all that is left in them.
inside() {
  mount -t proc proc "$root/proc"
  mount --bind /dev "$root/dev"
  mount -t tmpfs tmpfs "$root/dev/shm"
  mount -t devpts devpts "$root/dev/pts" 2>/dev/null || true
  local failed=0 command status
  for command in "$@"; do
    echo "fresh-machine: \$ $command"
    start="$(date +%s)"
    status=0
    chroot --userspec="$user" "$root" env -i "HOME=$home" "USER=$user" LANG=C.UTF-8 TERM=dumb \
      PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
      bash -c "cd $home/muster && $command" </dev/null || status=$?
    echo "fresh-machine: exit $status, $(seconds "$start"): $command"
    ((status == 0)) || failed=1
    # Bazel's server (java) stays on purpose.
    local left
    left="$(chroot "$root" ps -e -o pid=,comm= 2>/dev/null | awk '$1 != 1 && $2 !~ /^(java|bazel.*|ps|awk|chroot|fresh-machine.*|bash)$/' || true)"
    [[ -z $left ]] || { echo "fresh-machine: left running:"; echo "$left"; }
  done
  return "$failed"
}
export root user home
export -f inside seconds
unshare --mount --pid --fork --kill-child --propagation private bash -euo pipefail -c 'inside "$@"' inside "$@"
