// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The quick part of decode(): see instruction.h. May be called on any thread;
// allocates nothing.
#ifndef TPRT_DECODE_X86_64_FREQUENT_H
#define TPRT_DECODE_X86_64_FREQUENT_H

#include "decode/instruction.h"

namespace tprt {

// Decodes an instruction of a frequent kind into `out`, which must be all zero.
// It reads at most kMostDecoded bytes. Returns false if Zydis must decode the
// instruction. In this case `out` may have changed.
bool decodeFrequent(const uint8_t *code, Instruction &out);

} // namespace tprt

#endif
