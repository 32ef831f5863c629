#!/bin/bash
# The ctest `lit-installed`. This script installs tp to a scratch prefix and runs some of
# these tests against that installation, as README.md says.
#
# usage: run-installed.sh BUILD_FOLDER CMAKE LIT LLVM_BIN
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
scratch=$(mktemp -d "${TMPDIR:-/tmp}/tp-lit-installed.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
"$2" --install "$1" --prefix "$scratch/tp" >"$scratch/log" || { cat "$scratch/log"; exit 1; }

if output=$(env -u TP_INSTALLED "$3" "$here/Table" 2>&1) || [[ $output != *TP_INSTALLED=* ]]; then
  echo "FAILED: without TP_INSTALLED lit should say what it needs, not: $output"
  exit 1
fi
mkdir "$scratch/out"
TMPDIR=$scratch/out TP_INSTALLED=$scratch/tp TP_LLVM_BIN=$4 "$3" "$here/Table" \
  "$here/Runtime/Handlers/handlers-find-an-aligned-stack.c" "$here/Tool/runtime-headers-are-found.test" \
  "$here/Tool/as-gcc-for-what-looks-for-gcc-first.test" "$here/Tool/manual-pages-are-well-formed.test"
