#!/usr/bin/env bash
# Exit codes of mesh_conformance: 0 equal, 1 different, 2 not readable.
set -euo pipefail
tool=tests/conformance/mesh_conformance
golden=tests/conformance/golden

expect() {  # expect CODE ARGUMENT...
  local code=0
  "$tool" "${@:2}" >"$TEST_TMPDIR/out" 2>&1 || code=$?
  if [[ $code != "$1" ]]; then
    echo "mesh_conformance ${*:2}: exit code $code, not $1" >&2
    cat "$TEST_TMPDIR/out" >&2
    exit 1
  fi
}

expect 0 "$golden/torch_mesh.json" "$golden/nemo_rl.json"
grep -qx 'torch: 31 of 31' "$TEST_TMPDIR/out"
grep -qx 'nemo: 71 of 71' "$TEST_TMPDIR/out"

sed 's/"rule": *"dim_name_unknown"/"rule": "slice_needs_names"/' "$golden/torch_mesh.json" >"$TEST_TMPDIR/changed.json"
expect 1 "$TEST_TMPDIR/changed.json"
grep -qx 'torch: 30 of 31' "$TEST_TMPDIR/out"

expect 2 "$TEST_TMPDIR/no_such_file.json"
grep -q "can't be opened" "$TEST_TMPDIR/out"
sed 's/"schema": *1/"schema": 9/' "$golden/torch_mesh.json" >"$TEST_TMPDIR/other.json"
expect 2 "$TEST_TMPDIR/other.json"
grep -q 'schema 9 is unknown' "$TEST_TMPDIR/out"
expect 2
