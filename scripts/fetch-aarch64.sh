#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Fetches what tpctl for AArch64 is linked from: the static libraries of Debian's packages
# for arm64, and their headers. Nothing is installed (unpack-packages.sh).
# cmake/CrossAArch64.cmake builds tpctl from them.
#
# usage: fetch-aarch64.sh BUILD_FOLDER
# It makes BUILD_FOLDER/aarch64-packages/root, and does nothing if that is there.
set -euo pipefail

build=$(cd "${1:?usage: fetch-aarch64.sh BUILD_FOLDER}" && pwd)
folder=$build/aarch64-packages
[[ ! -d $folder/root ]] || exit 0
log=$folder/fetch.log says=fetch-aarch64
source "$(dirname "${BASH_SOURCE[0]}")/unpack-packages.sh"

# The compiler and the C library are those of g++-aarch64-linux-gnu.
unpack_alone arm64 "$folder/root.new" llvm-22-dev libcli11-dev libprotozero-dev libncurses-dev libsqlite3-dev libzstd-dev zlib1g-dev
mv "$folder/root.new.files" "$folder/root.files"
mv "$folder/root.new" "$folder/root"
echo "fetch-aarch64: in $folder/root; run cmake again in the build folder, to build tpctl for AArch64"
