#!/usr/bin/env bash
# Everything that is checked without compiling: formatting, include directions, shell and Python scripts.
# Runs all checks, then says which failed. Needs tier dev of tools/setup.sh.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

failed=()
check() { # check NAME COMMAND...
  local name="$1"
  shift
  echo "lint: $name"
  "$@" || failed+=("$name")
}

mapfile -t cxx < <(git ls-files '*.h' '*.cc')
mapfile -t shell < <(git grep -lIE '^#!/(usr/bin/env |bin/)(ba|da)?sh' -- ':!*.md')
mapfile -t python < <(git ls-files '*.py')

check "clang-format (repair: git ls-files '*.h' '*.cc' | xargs clang-format-16 -i)" \
  clang-format-16 --dry-run -Werror "${cxx[@]}"
check "include directions" tools/check-arrows.sh
check "shellcheck" shellcheck "${shell[@]}"
check "python syntax" python3 -c 'import ast, sys
for path in sys.argv[1:]: ast.parse(open(path, encoding="utf-8").read(), path)' "${python[@]}"
check "white space at line ends" bash -c '! git grep -nIE "[[:blank:]]+$" -- "*.h" "*.cc" "*.proto" "*.bazel" "*.bzl" "*.sh" "*.py" Makefile .ci'

if ((${#failed[@]})); then
  printf 'lint: failed: %s\n' "${failed[@]}" >&2
  exit 1
fi
echo "lint: ${#cxx[@]} C++ files, ${#shell[@]} shell scripts, ${#python[@]} Python files: clean"
