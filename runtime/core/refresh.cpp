// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Brings the list of modules up to date, at the start of each call that looks
// at sites. Walks the loader without the lock, adopts under it.
#include "core/probe.h"
#include "core/standing.h"
#include "core/status.h"
#include "os/linux/copies.h"
#include "os/linux/loader.h"

namespace tprt {

// Whether nothing came or went since the last look, and nothing can: only the
// program itself, which needs no pin, has sleds.
static bool nothingNew() {
  uint64_t generation = moduleGeneration();
  Lock lock;
  for (const Module *m = modules; m; m = m->next)
    if (m->loaded && (!m->executable || m->fresh))
      return false;
  return modules && generation && generation == adoptedGeneration;
}

tprt_status refreshModules(Array<Pin> &pins, bool foreign, tprt_status *later) {
  requireStart();
  char other[256];
  if (!takeCharge(other, sizeof other))
    return fail(TPRT_STATUS_OTHER_COPY,
                "another copy of libtprt, in %s, is in charge of this process: "
                "link only one, "
                "libtprt.so everywhere if in doubt",
                other);
  bool initialised = initialise();
  if (!isUsable())
    return fail(TPRT_STATUS_UNSUPPORTED, "%s", kUnusable);
  if (!initialised)
    return fail(TPRT_STATUS_NO_MEMORY, "no memory to start with");
  // Once asked for, always: what was found that way stays in the list.
  static bool everForeign;
  if (foreign)
    __atomic_store_n(&everForeign, true, __ATOMIC_RELAXED);
  foreign = __atomic_load_n(&everForeign, __ATOMIC_RELAXED);
  if (later)
    *later = TPRT_STATUS_OK;
  if (!foreign && nothingNew())
    return TPRT_STATUS_OK;
  Array<FoundModule> found;
  uint64_t generation = 0;
  if (!walkModules(found, pins, foreign, &generation))
    return fail(TPRT_STATUS_NO_MEMORY, "no memory for the list of modules");
  Lock lock;
  if (!adoptModules(found, foreign, generation))
    return fail(TPRT_STATUS_NO_MEMORY, "no memory for the sites of a module");
  tprt_status standing = attachStanding(pins);
  if (later)
    *later = standing;
  return TPRT_STATUS_OK;
}

tprt_status beginToSelect(const tprt_selector *selector, bool inside,
                          const char *call, Array<Pin> &pins) {
  if (inside)
    return fail(TPRT_STATUS_IN_HANDLER,
                "%s is not allowed from inside a handler", call);
  if (const char *fault = selectorFault(selector))
    return fail(TPRT_STATUS_INVALID_ARGUMENT, "the selector %s", fault);
  return refreshModules(pins,
                        selector && selector->flags & TPRT_SELECT_FOREIGN);
}

} // namespace tprt
