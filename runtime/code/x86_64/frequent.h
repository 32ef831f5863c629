// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The quick part of decode(): see instruction.h. Any thread; allocates nothing.
#ifndef TPRT_CODE_FREQUENT_H
#define TPRT_CODE_FREQUENT_H

#include "code/instruction.h"

namespace tprt {

// Decodes an instruction of a frequent kind into `out`, which is all zero. It
// reads at most kMostDecoded bytes. False: Zydis has to decode it, and `out`
// may have changed.
constexpr size_t kMostDecoded = 16;
bool decodeFrequent(const uint8_t *code, Instruction &out);

// Which numbers in an instruction its reader has to know of.
enum class Numbers : uint8_t { All, None };
// The length of an instruction of which nothing but the length matters: it goes
// on behind itself, is no nop, and refers to nothing by a distance. With
// Numbers::All, it also has no number that may be an address. 0: decode() has
// to say what it is. More than half of all instructions are such, and the
// length is computed without a branch that a processor would mispredict. It
// reads at most kMostDecoded bytes.
unsigned lengthOfPlain(const uint8_t *code, Numbers numbers);

} // namespace tprt

#endif
