#!/usr/bin/env bash
# The main job on this machine: one musterd, four agents that stand for four hosts in two racks, one gang of eight real workers,
# from submission to exit. Exit status 0 only if everything that should have happened was seen. Leaves no process behind.
#   demo/run.sh [--keep]      --keep: leave the folder with all logs
# Run by `make demo`, which builds what it needs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

keep=no
[[ ${1:-} == --keep ]] && keep=yes
folder="$(mktemp -d "${TMPDIR:-/tmp}/muster-demo.XXXXXX")"
bin="$PWD/bazel-bin"
muster="$bin/client/cli/muster"
# Told to every process of this demo, so that the end can look for any that were left.
export MUSTER_DEMO="$folder"

pids=()
end_all() {
  trap - EXIT INT TERM
  ((${#pids[@]})) && kill "${pids[@]}" 2>/dev/null
  ((${#pids[@]})) && wait "${pids[@]}" 2>/dev/null
  pids=()
}
finish() {
  local status=$?
  set +e
  end_all
  if ((status != 0)); then
    echo
    echo "DEMO FAILED (status $status); logs are in $folder"
  elif [[ $keep == no ]]; then
    rm -rf "$folder"
  fi
  exit "$status"
}
trap finish EXIT
trap 'exit 130' INT TERM

title() { printf '\n\033[1m== %s\033[0m\n' "$*"; }
show() { printf '\033[2m$ muster %s\033[0m\n' "$*"; "$muster" "$@"; }
[[ -t 1 ]] || { title() { printf '\n== %s\n' "$*"; }; show() { printf '$ muster %s\n' "$*"; "$muster" "$@"; }; }

start_agent() { # start_agent NAME RACK
  "$bin/client/agent/muster-agent" --node-name "$1" --label topology.muster.dev/block=b1 --label "topology.muster.dev/rack=$2" \
    --address 127.0.0.1 --gpus 2 --data "$folder/$1" --allow-launch --muster-binary "$muster" >"$folder/$1.log" 2>&1 &
  pids+=($!)
}

title "a coordinator, and the first rack: two hosts"
"$bin/server/main/musterd" --listen 127.0.0.1:0 --metrics 127.0.0.1:0 --data "$folder/data" --port-file "$folder/ports" \
  >"$folder/musterd.log" 2>&1 &
pids+=($!)
for _ in $(seq 200); do
  [[ -s $folder/ports ]] && break
  kill -0 "${pids[0]}" || { cat "$folder/musterd.log"; exit 1; }
  sleep 0.05
done
MUSTER_SERVER="127.0.0.1:$(sed -n 's/^grpc=//p' "$folder/ports")"
export MUSTER_SERVER
metrics="http://127.0.0.1:$(sed -n 's/^metrics=//p' "$folder/ports")/metrics"
start_agent gpu-a01 r1
start_agent gpu-a02 r1
wait_for_nodes() { # wait_for_nodes COUNT
  for _ in $(seq 200); do
    (($("$muster" get nodes -o json 2>/dev/null | grep -c '"NODE_OK"') >= $1)) && return
    sleep 0.05
  done
  echo "only these agents have registered:"
  "$muster" get nodes
  return 1
}
wait_for_nodes 2

title "a gang of four is all or nothing: with two hosts it waits, and says why"
sed "s|@WORKER@|$bin/demo/worker|" demo/job.yaml >"$folder/job.yaml"
show submit -f "$folder/job.yaml"
show get jobs
show explain job demo

title "the second rack comes up; the job goes on by itself"
start_agent gpu-b01 r2
start_agent gpu-b02 r2
show watch job demo

title "where it was placed, what crosses what"
show get nodes
show describe job demo

title "what was tested before anything was released"
receipt="$("$muster" get job demo -o json | sed -n 's/.*"receiptId": *"\([^"]*\)".*/\1/p' | head -n 1)"
show describe receipt "$receipt"

title "what the eight workers say, each after forming every group it was handed"
cat "$folder"/gpu-*/logs/*/*/out | sort -t' ' -k2n | tee "$folder/workers.txt"

title "a few of the metrics"
# Levels are brought up to date once a second.
for _ in $(seq 60); do
  curl --silent --fail --noproxy '*' "$metrics" >"$folder/metrics.txt"
  grep -q '^muster_jobs{phase="finished"} 1' "$folder/metrics.txt" && break
  sleep 0.05
done
# Not `head`: it would end the pipe early, which counts as a failure here.
grep -E '^muster_(jobs|nodes|releases|self_tests|placement|commits|phase_seconds_sum|handshake)' "$folder/metrics.txt" |
  grep -vE '_bucket|_created| 0$' | sed -n 1,20p

title "everything stops"
end_all
left="$(grep -lzx "MUSTER_DEMO=$folder" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3 | grep -vx -e $$ -e "$BASHPID" || true)"
for pid in $left; do
  # The pipeline that looks for them is itself one of them.
  [[ -d /proc/$pid && "$(cat "/proc/$pid/comm" 2>/dev/null)" != run.sh ]] && { echo "left behind: $pid $(tr '\0' ' ' <"/proc/$pid/cmdline")"; exit 1; }
done

ok="$(grep -c 'send/recv ok$' "$folder/workers.txt")"
echo "VERDICT: placed on 4 hosts in 2 racks, tested, ranked and run: $ok of 8 workers ok, receipt $receipt, nothing left behind"
((ok == 8))
