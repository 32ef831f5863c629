#!/bin/bash
# Checks the format of every C++ file of the project by .clang-format; with --fix,
# formats the files. lit-tests/ is left out: FileCheck's lines are placed by hand.
set -euo pipefail
cd "$(dirname "$0")/.."

tool=${CLANG_FORMAT:-clang-format-22}
command -v "$tool" >/dev/null || {
  echo "check-format: no $tool; 'make setup' installs it, CLANG_FORMAT names another" >&2
  exit 1
}
mapfile -t files < <(find bench clang-plugin examples llvm-pass runtime scripts tools \
  \( -name '*.cpp' -o -name '*.h' -o -name '*.hpp' \) -type f)
if [[ ${1:-} == --fix ]]; then
  "$tool" -i "${files[@]}"
elif ! "$tool" --dry-run -Werror "${files[@]}"; then
  echo "check-format: 'scripts/check-format.sh --fix' formats these files" >&2
  exit 1
fi
