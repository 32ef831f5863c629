// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See standing.h.
#include "core/standing.h"
#include "core/status.h"

namespace tprt {

static tprt_probe *standing;

void stand(tprt_probe *probe) {
  // At the end: probes on one site are called in the order of attachment.
  tprt_probe **end = &standing;
  while (*end)
    end = &(*end)->nextStanding;
  __atomic_store_n(end, probe, __ATOMIC_RELAXED); // read by haveStanding()
  probe->standing = true;
}

void stopStanding(tprt_probe *probe) {
  if (!probe->standing)
    return;
  tprt_probe **at = &standing;
  while (*at != probe)
    at = &(*at)->nextStanding;
  __atomic_store_n(at, probe->nextStanding, __ATOMIC_RELAXED);
  probe->nextStanding = nullptr;
  probe->standing = false;
}

bool haveStanding() {
  return __atomic_load_n(&standing, __ATOMIC_RELAXED) != nullptr;
}

// --- references to modules
// -----------------------------------------------------

static size_t countModules() {
  size_t count = 0;
  for (const Module *m = modules; m; m = m->next)
    ++count;
  return count;
}

bool reserveHolds(tprt_probe *probe) {
  return probe->held.reserve(countModules());
}

static bool holds(const tprt_probe *probe, const Module *module) {
  for (const Module *m : probe->held)
    if (m == module)
      return true;
  return false;
}

void holdModules(tprt_probe *probe, size_t first, Array<Pin> &pins) {
  for (size_t i = first; i < probe->sites.size();) {
    Module *module = sites[probe->sites[i]].module();
    i = endOfModule(probe->sites, i, module);
    if (holds(probe, module))
      continue;
    probe->held.push(module); // reserved
    if (module->holders++)
      continue;
    for (Pin &pin : pins)
      if (pin.base == module->base) {
        module->handle = pin.handle;
        pin.handle = nullptr;
      }
  }
}

void releaseModules(tprt_probe *probe, Array<Pin> &unused) {
  for (Module *module : probe->held)
    if (--module->holders == 0 && module->handle) {
      unused.push({module->base, module->handle}); // no memory: it stays loaded
      module->handle = nullptr;
    }
  probe->held.clear();
}

// --- what comes later
// ----------------------------------------------------------

static tprt_status attachFresh(tprt_probe *probe, Array<Pin> &pins) {
  size_t before = probe->sites.size();
  bool memory = reserveHolds(probe);
  for (Module *m = modules; m && memory; m = m->next)
    memory = !m->fresh || selectFromModule(probe->pattern, m, probe->sites);
  size_t found = probe->sites.size() - before;
  tprt_result result{};
  tprt_status status = TPRT_STATUS_OK;
  if (!memory)
    status = fail(TPRT_STATUS_NO_MEMORY,
                  "no memory for the sites of a module loaded later");
  else if (found)
    status = enableSites(probe, before, result);
  // Where it ended before it looked at any, they are still there.
  probe->sites.resize(before + result.enabled);
  if (!found)
    return status;
  holdModules(probe, before, pins);
  say(2, "a probe of %zu sites took %zu of modules loaded later", before,
      result.enabled);
  return status;
}

tprt_status attachStanding(Array<Pin> &pins) {
  bool any = false;
  for (const Module *m = modules; m; m = m->next)
    any |= m->fresh;
  if (!any)
    return TPRT_STATUS_OK;
  tprt_status status = TPRT_STATUS_OK;
  for (tprt_probe *probe = standing; probe; probe = probe->nextStanding) {
    tprt_status one = attachFresh(probe, pins);
    status = status == TPRT_STATUS_OK ? one : status;
  }
  for (Module *m = modules; m; m = m->next)
    m->fresh = false;
  return status;
}

} // namespace tprt
