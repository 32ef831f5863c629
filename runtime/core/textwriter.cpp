// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stores to code that are not part of a loop; see textwriter.h.
#include "core/textwriter.h"

namespace tprt {

bool TextWriter::writePublished(uint64_t address, uint64_t value,
                                unsigned bytes) const {
  if (!writeMemory(address, value, bytes))
    return false;
  publishCode(address, bytes);
  return true;
}

bool TextWriter::store(uint64_t address, uint64_t value, unsigned bytes) const {
  if (!writable)
    return writePublished(address, value, bytes);
  storeWord(address, value, bytes);
  return true;
}

bool makeExecutable(uint64_t address, size_t bytes) {
  if (!protectCode(address, bytes))
    return false;
  publishCode(address, bytes);
  return true;
}

} // namespace tprt
