// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Takes the place of decoder_outside.cpp in libtprt.a, which does without a
// reader of code.
#include "decode/decoder.h"

namespace tprt {

OpenCodeReader *const openCodeReader = nullptr;

} // namespace tprt
