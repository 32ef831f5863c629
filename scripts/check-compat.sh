#!/bin/bash
# Checks that only the files for it ask for the version of LLVM or clang: the ctest `compat`.
# With --prove, adds a question elsewhere in a copy of the folders, and checks that this is
# noticed: the test `compat.prove`.
#
# usage: check-compat.sh [--prove] SOURCE
set -euo pipefail

prove=
if [[ ${1:-} == --prove ]]; then
  prove=yes
  shift
fi
cd "${1:?usage: check-compat.sh [--prove] SOURCE}"

# Prints the questions that are in the wrong file.
strays() {
  grep -nE '^ *# *(if|elif|ifdef|ifndef).*(LLVM|CLANG|clang)_(VERSION|major)|^ *# *(if|elif).*__has_include' -r clang-plugin llvm-pass |
    grep -vE '^(clang-plugin/ClangCompat\.h|llvm-pass/LlvmCompat\.(h|cpp)):'
}

if [[ $prove ]]; then
  scratch=$(mktemp -d "${TMPDIR:-/tmp}/tp-compat.XXXXXX")
  trap 'rm -rf "$scratch"' EXIT
  cp -r clang-plugin llvm-pass "$scratch"
  cd "$scratch"
  echo '#if LLVM_VERSION_MAJOR >= 20' >>llvm-pass/Options.cpp
  echo '# ifdef __clang_major__' >>clang-plugin/Attributes.cpp
  if [[ $(strays | wc -l) != 2 ]]; then
    echo "check-compat: it does not notice a question for the version in another file" >&2
    exit 1
  fi
elif strays; then
  echo "check-compat: only LlvmCompat.h, LlvmCompat.cpp and ClangCompat.h ask for a version" >&2
  exit 1
fi
