// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libtprt-inject.so and the libtprt.so for musl contain this reader of code. So
// this file takes the places of decoder_start.cpp and of code/open_decoder.cpp
// there.
#include "decode/reader.h"

namespace tprt {

const CodeReader *openCodeReader(const char **) { return &kCodeReader; }

} // namespace tprt
