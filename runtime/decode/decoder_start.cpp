// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libtprt-code.so: finds where functions begin and end in code that nobody
// prepared. libtprt.so opens it when a selector with TPRT_SELECT_CODE comes
// (code/code_modules.h). It links to no symbol of libtprt's, and keeps no
// state.
#include "decode/reader.h"

extern "C" __attribute__((visibility("default"))) const tprt::CodeReader *
tprt_code_start();
const tprt::CodeReader *tprt_code_start() { return &tprt::kCodeReader; }
