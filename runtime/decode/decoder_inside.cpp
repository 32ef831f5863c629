// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libtprt-inject.so and the libtprt.so for musl contain this decoder. In these
// libraries this file replaces decoder_start.cpp and code/open_decoder.cpp.
#include "decode/reader.h"

namespace tprt {

const CodeReader *openCodeReader(const char **) { return &kCodeReader; }

} // namespace tprt
