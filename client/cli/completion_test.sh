#!/usr/bin/env bash
# The completion script, sourced by a real bash: what it offers at each place of a command line.
set -euo pipefail
muster="$PWD/$1"

# Names come from the coordinator: a stand-in lists them.
bin="$TEST_TMPDIR/bin"
mkdir -p "$bin"
printf '#!/bin/sh\ncase "$*" in *jobs*) printf "team-a/llama\\ndefault/moe\\n" ;; *nodes*) echo gpu-a01 ;; esac\n' >"$bin/muster"
chmod +x "$bin/muster"
PATH="$bin:$PATH"

# shellcheck disable=SC1090
source <("$muster" completion bash)

failures=0
expect() { # expect WANT WORD... : the last word is being completed
  local want="$1"
  shift
  COMP_WORDS=(muster "$@")
  COMP_CWORD=$#
  COMPREPLY=()
  _muster
  if [[ "${COMPREPLY[*]}" != "$want" ]]; then
    printf 'muster %s: offered "%s", want "%s"\n' "$*" "${COMPREPLY[*]}" "$want"
    failures=$((failures + 1))
  fi
}

expect "describe" des
expect "jobs nodes receipts" get ""
expect "receipt" describe r
expect "--namespace" describe job --n
expect "default/moe" describe job def
expect "gpu-a01" quarantine node ""
expect "yaml" get jobs -o y
expect "team-a/llama" exec --job team
expect "--per-member --per-worker" exec --per
expect "bash" completion ""
exit "$((failures > 0))"
