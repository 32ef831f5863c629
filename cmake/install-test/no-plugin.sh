#!/bin/bash
# The ctest `no-plugin`. Configures with TP_PLUGIN=OFF and an LLVM without clang's headers: there
# are tpctl and libtprt, and nothing of the plugin. Tests that are asked for all the same are
# refused.
#
# usage: no-plugin.sh SOURCE_FOLDER BUILD_FOLDER CMAKE LLVM_PREFIX MAJOR
set -euo pipefail

source=$1 build=$2 cmake=$3 llvm=$4 major=$5
scratch=$(mktemp -d "${TMPDIR:-/tmp}/tp-no-plugin-test.XXXXXX")
trap 'rm -rf "$scratch"' EXIT

mkdir -p "$scratch/llvm/include"
for part in bin lib; do
  ln -s "$llvm/$part" "$scratch/llvm/$part"
done
for part in llvm llvm-c; do
  ln -s "$(readlink -f "$llvm/include/$part")" "$scratch/llvm/include/$part"
done
configure=("$cmake" -G Ninja -S "$source" -DTP_PLUGIN=OFF "-DTP_LLVM_${major}_PREFIX=$scratch/llvm" "-DTP_LLVM_MAJORS=$major"
  "-DTP_ZYDIS_FOLDER=$build/sources/zydis")
"${configure[@]}" -B "$scratch/build" >"$scratch/log" 2>&1 || { cat "$scratch/log"; exit 1; }
targets=$("$cmake" --build "$scratch/build" --target help)
for target in tpctl tprt_shared tprt_static; do
  grep -q "^$target: phony" <<<"$targets" || { echo "FAILED: no target $target"; exit 1; }
done
for target in tp_plugin tp_pass tp-clang tp-select; do
  ! grep -q "^$target: phony" <<<"$targets" || { echo "FAILED: there is a target $target"; exit 1; }
done
if "${configure[@]}" -DTP_BUILD_TESTS=ON -B "$scratch/tests" >"$scratch/log" 2>&1 ||
  ! tr -s ' \n' ' ' <"$scratch/log" | grep -q 'tests, benchmarks and examples need the plugin'; then
  cat "$scratch/log"
  echo "FAILED: tests without a plugin are not refused"
  exit 1
fi
