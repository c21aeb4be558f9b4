#!/usr/bin/env bash
# The rooms' arrows point one way: proto <- lib <- {server, client} <- tests. Prints every line that points against
# them, in sources and BUILD files, and every line by which lib/ would touch the world (I/O, clock, threads, RPC,
# randomness: lib/ is a function of its arguments). Usage: tools/check-arrows.sh [folder]   (default: this repository)
set -euo pipefail
cd "${1:-$(dirname "${BASH_SOURCE[0]}")/..}"

bad=0
forbid() { # forbid WHY PATTERN FILE...
  local why="$1" pattern="$2"
  shift 2
  (($#)) || return 0
  local lines
  if lines="$(grep -HnE -- "$pattern" "$@")"; then
    while IFS= read -r line; do echo "$line    <- $why"; done <<<"$lines"
    bad=1
  fi
}

# sources ROOM... and build_files ROOM...: fill `files`.
sources() { mapfile -t files < <(find "$@" -type f \( -name '*.h' -o -name '*.cc' \) 2>/dev/null | sort); }
build_files() { mapfile -t files < <(find "$@" -type f -name 'BUILD.bazel' 2>/dev/null | sort); }

# rooms FROM WHAT-IT-MUST-NOT-SEE (alternatives)
rooms() {
  sources "$1"
  forbid "$1/ must not include it" "^[[:blank:]]*#[[:blank:]]*include[[:blank:]]*[\"<]($2)/" "${files[@]}"
  build_files "$1"
  # Not :__pkg__ and :__subpackages__, which stand in visibility lists.
  forbid "$1/ must not depend on it" "^[^#]*\"//($2)(/[^\":]*)?(:[^_\"][^\"]*)?\"" "${files[@]}"
}
rooms proto 'lib|server|client|tests|demo'
rooms lib 'server|client|tests|demo'
rooms server 'client|tests|demo'
rooms client 'server|tests|demo'

include='^[[:blank:]]*#[[:blank:]]*include[[:blank:]]*[<"]'
sources lib
forbid "lib/ knows no RPC, store, HTTP or log library" \
  "$include"'(grpc(pp|\+\+)?/|[^>"]*\.grpc\.pb\.h|sqlite3|curl/|prometheus/|spdlog/|gloo/|CLI/)' "${files[@]}"

sources server/core
forbid "server/core/ knows no gRPC: services/ translates" "$include"'(grpc(pp|\+\+)?/|[^>"]*\.grpc\.pb\.h)' "${files[@]}"
sources lib

# Tests of lib/ may read their golden files, start threads and draw (seeded) random numbers; the code itself may not, but
# for what waiting is made of.
pure=()
for file in "${files[@]}"; do
  [[ $file == *_test.cc || $file == lib/gang/walk_* || $file == lib/base/mutex.h || $file == lib/base/mailbox.h ]] || pure+=("$file")
done
forbid "lib/ does no I/O" "$include"'(iostream|fstream|filesystem|cstdio|stdio\.h|unistd\.h|sys/[a-z]+\.h|netinet/|arpa/|netdb\.h|fcntl\.h|dlfcn\.h)' "${pure[@]}"
forbid "lib/ has no threads" "$include"'(thread|mutex|shared_mutex|condition_variable|future|stop_token|semaphore|latch|barrier|absl/synchronization/)' "${pure[@]}"
forbid "lib/ is told the time" "$include"'(chrono|ctime|time\.h|absl/time/clock\.h)|absl::(Now|SleepFor|GetCurrentTimeNanos)\(' "${pure[@]}"
forbid "lib/ has no randomness" "$include"'(random|absl/random/)|\b(std::)?s?rand\(|random_device|absl::(InsecureBitGen|BitGen)\b' "${pure[@]}"
forbid "lib/ reads no environment" '\b(std::)?(getenv|secure_getenv)\(' "${pure[@]}"

# ThreadSanitizer can't see into Debian's build of these (docs/decisions.md).
sources lib server client tests demo
forbid "use muster::Mutex, CondVar or Notification (lib/base)" \
  '^([^/]|/[^/])*absl::(Mutex|MutexLock|CondVar|Notification|BlockingCounter|Barrier)\b' "${files[@]}"

build_files lib
forbid "lib/ links no such library" \
  '^[^#]*"//(third_party:(grpc\+\+|grpc\+\+_reflection|grpcpp_channelz|sqlite3|curl|prometheus|spdlog|gloo|cli11)|proto/[^"]*:(services?|[a-z_]+_grpc))"' "${files[@]}"

exit "$bad"
