// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Brings the list of modules up to date at the start of each call that uses
// sites, and when a module is loaded. Called without the lock, not in hits.
#include "probes/refresh.h"
#include "actions/probe.h"
#include "base/os_loader.h"
#include "code/code_modules.h"
#include "loader/choose_and_pin.h"
#include "loader/module_list.h"
#include "modules/module.h"
#include "probes/init.h"
#include "probes/pending_probes.h"
#include "select/select.h"
#include "threads/lock.h"
#include "threads/status.h"

namespace tprt {

// The section of a patchable module contains addresses that the loader fills in
// after it has added the module to its list. Pinning the module waits until the
// loader has filled them in.
static bool readPatchable() {
  Pins pins;
  bool memory = true, asked = false;
  chooseAndPin(
      pins, [] { return true; },
      [&](Round round) {
        memory = round.memory;
        const bool isFirst = !asked;
        asked = true;
        bool any = false;
        for (Module *m = modules; m && memory; m = m->next) {
          if (!m->loaded || !m->patchable || !m->unread || !mayPin(m))
            continue;
          if (isFirst) {
            any = true;
            memory = !mayGo(m) || pins.want(m);
          } else if (pins.holds(m)) {
            readPatchableSites(m);
          } else if (pins.failed(m)) {
            m->unread = false; // the module is being unloaded
          }
        }
        return !memory || !any;
      },
      /*patchable=*/true);
  return memory;
}

// The module whose _init is running is ready. Modules that were skipped before
// and can be pinned now are treated as new.
static void noteReady(uint64_t init) {
  Lock lock;
  for (Module *m = modules; m; m = m->next) {
    if (!m->loaded)
      continue;
    for (const Segment &s : m->segments)
      m->ready |= init >= s.start && init < s.end;
    if (m->passedOver && mayPin(m)) {
      m->passedOver = false;
      arriveAgain(m);
    }
  }
}

tprt_status refreshModules(const tprt_selector *selector, tprt_status *later,
                           uint64_t init) {
  const uint32_t flags = selector ? selector->flags : 0;
  bool patchable = flags & TPRT_SELECT_PATCHABLE;
  requireStart();
  bool initialised = initialise();
  char other[256];
  if (!takeCharge(other, sizeof other))
    return fail(TPRT_STATUS_OTHER_COPY,
                "another copy of libtprt, in %s, is in charge of this process: "
                "link only one copy; if in doubt, link libtprt.so everywhere",
                other);
  if (!isUsable())
    return fail(TPRT_STATUS_UNSUPPORTED, "%s", kUnusable);
  if (!initialised)
    return fail(TPRT_STATUS_NO_MEMORY, "no memory to start libtprt");
  static bool everPatchable;
  if (patchable)
    __atomic_store_n(&everPatchable, true, __ATOMIC_RELAXED);
  patchable = __atomic_load_n(&everPatchable, __ATOMIC_RELAXED);
  if (flags & (TPRT_SELECT_CODE | TPRT_SELECT_PROFILERS) && !prepareCode())
    return TPRT_STATUS_UNSUPPORTED;
  if (!walkModules(patchable))
    return fail(TPRT_STATUS_NO_MEMORY, "no memory for the list of modules");
  noteReady(init);
  if (patchable && !readPatchable())
    return fail(TPRT_STATUS_NO_MEMORY, "no memory for the list of modules");
  const CodeRead read = readCode(selector);
  if (read == CodeRead::NotWanted)
    return TPRT_STATUS_NO_MEMORY;
  tprt_status pending = attachPending();
  if (pending == TPRT_STATUS_OK && read == CodeRead::NotAwaited)
    pending = TPRT_STATUS_NO_MEMORY;
  if (later)
    *later = pending;
  return TPRT_STATUS_OK;
}

tprt_status beginToSelect(const tprt_selector *selector, bool inside,
                          const char *call) {
  if (inside)
    return fail(TPRT_STATUS_IN_HANDLER,
                "%s is not allowed from inside a handler", call);
  if (const char *fault = selectorFault(selector))
    return fail(TPRT_STATUS_INVALID_ARGUMENT, "the selector %s", fault);
  tprt_status status = refreshModules(selector);
  if (status != TPRT_STATUS_OK || !selector || !selector->point)
    return status;
  Lock lock;
  if (nameOfPoint(selector->point))
    return TPRT_STATUS_OK;
  return fail(TPRT_STATUS_NO_MATCH,
              "no loaded module with sites has a point at %p: pass an object "
              "that TPRT_POINT() makes and a TPRT_TRACE() uses",
              selector->point);
}

} // namespace tprt
