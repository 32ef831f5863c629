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

bool TextWriter::storeSteps(const tprt_site &site, const Toggle &toggle,
                            Direction to) const {
  Step steps[kMaxSteps];
  size_t count = planSteps(site, to, toggle, steps);
  for (const Step *step = steps; step < steps + count; ++step)
    if (!store(step->address, step->value, step->bytes))
      return false;
  return count != 0;
}

tprt_refusal TextWriter::toggle(const tprt_site &site, const Toggle &toggle,
                                Direction to, uint64_t mask) {
  if (!open())
    return TPRT_REFUSAL_PERMISSION;
  if (storesWords()) {
    toggleWord(toggle, to, mask);
    return TPRT_REFUSAL_NONE;
  }
  // Between two jumps, the single-byte stores first restore the sled's own
  // instruction.
  const bool isBetweenJumps = to == Direction::On && toggle.now == SledForm::On;
  return (!isBetweenJumps || storeSteps(site, toggle, Direction::Off)) &&
                 storeSteps(site, toggle, to)
             ? TPRT_REFUSAL_NONE
             : TPRT_REFUSAL_PERMISSION;
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
