// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libtprt-code.so: finds the beginnings and ends of functions in uninstrumented
// code. libtprt.so opens it for the first selector with TPRT_SELECT_CODE
// (code/code_modules.h). It links to no symbols of libtprt, and keeps no state.
#include "decode/reader.h"

extern "C" __attribute__((visibility("default"))) const tprt::CodeReader *
tprt_code_start();
const tprt::CodeReader *tprt_code_start() { return &tprt::kCodeReader; }
