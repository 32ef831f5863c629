// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See flip.h.
#include "core/flip.h"
#include "core/stubs.h"

namespace tprt {

bool groupByModule(const Array<uint32_t> &batch, Array<Group> &groups) {
  for (size_t i = 0; i < batch.size();) {
    Module *module = sites[batch[i]].module();
    size_t end = endOfModule(batch, i, module);
    uint32_t first = batch[i], last = batch[end - 1];
    if (!groups.push(
            {module, i, end,
             TextWriter::of(module, sites[first].sled(), sites[last].sled())}))
      return false;
    i = end;
  }
  return true;
}

void closeAll(Array<Group> &groups) {
  for (Group &group : groups)
    group.writer.close();
}

tprt_refusal replaceSlot(Place place, Slot slot, TextWriter &writer,
                         Toggle *toggle, bool *written) {
  if (slot.bytes && writer.storesWords()) {
    *written = writer.store(slot.address, slot.code, slot.bytes);
    return *written ? TPRT_REFUSAL_NONE : TPRT_REFUSAL_PERMISSION;
  }
  place.site.viaCounter = !place.site.viaCounter;
  return planToggle(place.site, place.origin, place.target(), toggle);
}

bool storeInSteps(const tprt_site &site, bool on, const Toggle &toggle,
                  TextWriter &writer) {
  Step steps[kMaxSteps];
  size_t count = planSteps(site, on, toggle, steps);
  bool stored = count != 0;
  for (size_t i = 0; i < count && stored; ++i)
    stored = writer.store(steps[i].address, steps[i].value, steps[i].bytes);
  return stored;
}

} // namespace tprt
