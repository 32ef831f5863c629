#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs the lit tests of Runtime/ for AArch64 in the emulated machine, which runs already: those
# that lit-tests/aarch64-system.txt names, or all with TP_SYSTEM=all, which takes longer than
# `make check` may. Exit code 77: the machine does not run.
#
# usage: lit.sh BUILD_FOLDER MACHINE LIT [ARGUMENT_OF_LIT]...
set -euo pipefail

build=$1 machine=$2 lit=$3
shift 3
if [[ ! -s $build/machine/run/$machine/port ]]; then
  echo "skipped: the emulated machine $machine does not run; 'scripts/machine.sh $machine fetch' gets its parts, and 'start' starts it"
  exit 77
fi
suite=$build/lit-tests-$machine-system
if [[ ${TP_SYSTEM:-} == all ]]; then
  chosen=(Runtime)
else
  mapfile -t chosen < <(grep -v '^#' "$(dirname "$0")/../../lit-tests/aarch64-system.txt")
fi
exec "$lit" "$@" "${chosen[@]/#/$suite/}"
