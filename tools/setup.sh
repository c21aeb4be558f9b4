#!/usr/bin/env bash
# Installs what Muster is built and tested with, from Debian 12's own packages only. Does nothing, in a few
# milliseconds, when all of it is there. Usage: tools/setup.sh [core|dev]   (default: core)
#   core  what `make demo`, `make test` and `make bench` need
#   dev   core, and what `make lint`, .ci/run and tools/fresh-machine.sh need beside it
# Runs apt-get as root, through sudo where needed. Starts no service.
set -euo pipefail

core=(
  # build
  g++ git make python3 bazel-bootstrap bazel-rules-java bazel-rules-proto bazel-skylib bazel-platforms
  protobuf-compiler protobuf-compiler-grpc
  # libraries
  libgrpc++-dev libprotobuf-dev libabsl-dev libspdlog-dev libfmt-dev prometheus-cpp-dev
  libsqlite3-dev libgloo-dev libcli11-dev nlohmann-json3-dev libyaml-cpp-dev libcurl4-openssl-dev libssl-dev
  # tests and the demo; package prometheus is for promtool
  libgtest-dev libgmock-dev libbenchmark-dev prometheus curl procps
)
dev=(clang-16 libclang-rt-16-dev clang-format-16 clang-tidy-16 lld-16 lcov shellcheck debootstrap)

tier="${1:-core}"
case "$tier" in
  core) wanted=("${core[@]}") ;;
  dev) wanted=("${core[@]}" "${dev[@]}") ;;
  *)
    echo "usage: $0 [core|dev]" >&2
    exit 2
    ;;
esac

say() { echo "setup: $*" >&2; }

if ! command -v dpkg-query >/dev/null; then
  say "this machine has no dpkg. Muster builds on Debian 12 (amd64) with Debian's packages; use a Debian 12 container."
  exit 1
fi

# One call for all packages; it fails when one is unknown, which is no error here.
installed=" $(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "${wanted[@]}" 2>/dev/null |
  awk '$1 == "installed" { printf "%s ", $2 }' || true) "
missing=()
for package in "${wanted[@]}"; do
  [[ $installed == *" $package "* ]] || missing+=("$package")
done
((${#missing[@]})) || exit 0

# shellcheck source=/dev/null
release="$(. /etc/os-release && echo "${ID:-?} ${VERSION_ID:-?}") $(dpkg --print-architecture)"
if [[ $release != "debian 12 amd64" ]]; then
  say "warning: this is $release; Muster is built and tested on debian 12 amd64 only. Trying all the same."
fi

as_root=()
if ((EUID != 0)); then
  if ! command -v sudo >/dev/null; then
    say "${#missing[@]} packages are missing and this is neither root nor a machine with sudo. As root, run:"
    say "  apt-get install --no-install-recommends ${missing[*]}"
    exit 1
  fi
  as_root=(sudo)
fi
apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300)

say "installing ${#missing[@]} Debian packages (tier $tier); about a minute"

# A few of the packages bring a service that starts on installation; Debian's way to prevent that is this file.
policy=/usr/sbin/policy-rc.d
log="$(mktemp)"
if [[ -e $policy ]]; then
  trap 'rm -f "$log"' EXIT
else
  trap 'rm -f "$log"; "${as_root[@]}" rm -f "$policy"' EXIT
  printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" install -m 755 /dev/stdin "$policy"
fi

"${apt[@]}" update >"$log" 2>&1 || { say "warning: apt-get update failed; going on with the lists at hand"; tail -n 3 "$log" >&2; }
if "${apt[@]}" install -y --no-install-recommends "${missing[@]}" >"$log" 2>&1 </dev/null; then
  say "done"
  exit 0
fi

tail -n 20 "$log" >&2
bad=()
for package in "${missing[@]}"; do
  "${apt[@]}" install --simulate --no-install-recommends "$package" >/dev/null 2>&1 </dev/null || bad+=("$package")
done
if ((${#bad[@]})); then
  say "apt-get can't install: ${bad[*]}. Are Debian 12's main archive and its updates among apt's sources?"
else
  say "apt-get failed on: ${missing[*]} (each alone would install; its last words are above)"
fi
exit 1
