#!/bin/bash
# `make check-fast` and similar targets: runs the tests of one part, without
# building anything.
#
#   fast      units, format, folders, documents, and the lit tests that lit-tests/fast.txt lists
#   unit      unit tests of the runtime and of the reader of recordings
#   compiler  what the compiler, the linkers and tp-clang put out
#   runtime   units and threaded tests of the runtime, and lit tests of running programs
#   tools     units and lit tests of tpctl and tp-select
#
# usage: check-part.sh PART BUILD_FOLDER [ARGUMENT_OF_LIT]...
set -euo pipefail

usage="usage: check-part.sh fast|unit|compiler|runtime|tools BUILD_FOLDER [ARGUMENT_OF_LIT]..."
part=${1:?$usage} build=$(cd "${2:?$usage}" && pwd) source=$(cd "$(dirname "$0")/.." && pwd)
shift 2
lit=$(sed -n 's/^TP_LIT:[A-Z]*=//p' "$build/CMakeCache.txt")
case $part in
  fast) tests='^(unit|trace)\.|^(format|compat|floors|links|messages|reference|numbers|version)$' ;;
  unit) tests='^(unit|trace)\.' ;;
  compiler) tests='^(format|compat)$' ;;
  runtime) tests='^(unit|stress|floors)' ;;
  tools) tests='^(trace\.|example-)' ;;
  *)
    echo "check-part: '$part' is not a part. $usage" >&2
    exit 2
    ;;
esac
case $part in
  fast) mapfile -t chosen < <(grep -v '^#' "$source/lit-tests/fast.txt") ;;
  unit) chosen=() ;;
  compiler) chosen=(Combination Files Link Pass Plugin Points Table Tool) ;;
  runtime) chosen=(Runtime) ;;
  tools) chosen=(Tool Tpctl) ;;
esac
status=0
ctest --test-dir "$build" --output-on-failure --progress -R "$tests" -j "$(nproc)" || status=$?
((${#chosen[@]} == 0)) || "$lit" --print-result-after failed --test-output failed "$@" "${chosen[@]/#/$build/lit-tests/}" || status=$?
exit "$status"
