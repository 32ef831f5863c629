// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stores to code that are not part of a loop; see text_writer.h.
#include "text/text_writer.h"

#include <errno.h>

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

bool isExecutableForbidden;

bool makeExecutable(uint64_t address, size_t bytes) {
  const bool made = protectCode(address, bytes);
  isExecutableForbidden = !made && errno != ENOMEM;
  if (made)
    publishCode(address, bytes);
  return made;
}

} // namespace tprt
