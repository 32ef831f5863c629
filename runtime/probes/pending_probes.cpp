// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pending probes; see pending_probes.h.
#include "probes/pending_probes.h"
#include "base/cancel.h"
#include "base/os_loader.h"
#include "loader/awaited.h"
#include "loader/choose_and_pin.h"
#include "loader/module_list.h"
#include "modules/module.h"
#include "patch/overlap.h"
#include "patch/uprobe_thread.h"
#include "probes/attach.h"
#include "probes/refresh.h"
#include "threads/lock.h"
#include "threads/status.h"
#include "threads/thread_block.h"

#include <errno.h>

#include <string.h>

namespace tprt {

static tprt_probe *pending;

void addPending(tprt_probe *probe) {
  // The probe is added at the end, because probes at one site are called in the
  // order of their attachment.
  tprt_probe **end = &pending;
  while (*end)
    end = &(*end)->nextPending;
  __atomic_store_n(end, probe, __ATOMIC_RELAXED); // read by havePending()
  probe->pending = true;
  static uint64_t lastNumber;
  probe->number = ++lastNumber;
  probe->seen = epoch; // attach has scanned the modules that are loaded now
}

void stopPending(tprt_probe *probe) {
  if (!probe->pending)
    return;
  tprt_probe **at = &pending;
  while (*at != probe)
    at = &(*at)->nextPending;
  __atomic_store_n(at, probe->nextPending, __ATOMIC_RELAXED);
  probe->nextPending = nullptr;
  probe->pending = false;
}

bool havePending() {
  return __atomic_load_n(&pending, __ATOMIC_RELAXED) != nullptr;
}

// Called by os/linux/dlopen_hook.cpp. Does nothing for a dlopen inside a
// handler: the next call finds the modules of that dlopen.
void noteLoading(const void *caller) {
  if (!havePending() || insideHandler())
    return;
  int saved = errno;
  CancelDisabled uncancelled;
  const bool outer = inInit; // another _init may run inside this one
  inInit = true;
  refreshModules(nullptr, nullptr, reinterpret_cast<uint64_t>(caller));
  inInit = outer;
  errno = saved;
}

// --- references to modules --------------------------------------------------

static size_t countModules(const Array<uint32_t> &batch, size_t first) {
  size_t count = 0;
  for (size_t i = first; i < batch.size(); ++count)
    i = endOfModule(batch, i, sites[batch[i]].module());
  return count;
}

bool reserveHolds(tprt_probe *probe, size_t first) {
  return probe->held.reserve(probe->held.size() +
                             countModules(probe->sites, first));
}

void holdModules(tprt_probe *probe, size_t first, Pins &pins) {
  for (size_t i = first; i < probe->sites.size();) {
    Module *module = sites[probe->sites[i]].module();
    i = endOfModule(probe->sites, i, module);
    probe->held.push(module); // reserved
    pins.handOver(module);
  }
}

void releaseModules(tprt_probe *probe, Array<Pin> &unused) {
  for (Module *module : probe->held)
    if (--module->holders == 0 && module->handle) {
      unused.push({module->base, module->handle}); // without memory the module
                                                   // remains loaded
      module->handle = nullptr;
    }
  probe->held.clear();
}

bool wantPins(const Array<uint32_t> &batch, size_t first, Pins &pins) {
  for (size_t i = first; i < batch.size();) {
    Module *module = sites[batch[i]].module();
    i = endOfModule(batch, i, module);
    if (!pins.holds(module) && !pins.failed(module) && !pins.want(module))
      return false;
  }
  return true;
}

void dropUnpinned(Array<uint32_t> &batch, size_t first, Pins &pins) {
  size_t kept = first;
  for (size_t i = first; i < batch.size();) {
    Module *module = sites[batch[i]].module();
    size_t end = endOfModule(batch, i, module);
    bool holds = pins.holds(module);
    if (holds && kept < i)
      memmove(&batch[kept], &batch[i], (end - i) * sizeof batch[i]);
    kept += holds ? end - i : 0;
    i = end;
  }
  batch.resize(kept);
}

// --- modules loaded later ---------------------------------------------------

static constinit GlobalArray<Arrival> arrivals;

static bool isAwaited(const Module *module,
                      bool (*asks)(uint32_t flags, const char *modulePattern,
                                   const void *address, const Module *module)) {
  for (const tprt_probe *p = pending; p; p = p->nextPending)
    if (asks(p->pattern.flags, p->pattern.module, p->pattern.address, module))
      return true;
  return false;
}

static bool noteArrival(Module *module, bool again) {
  return !pending || (*arrivals).push({module, module->adopted, again});
}

const Awaited awaited = {noteArrival, isAwaited};

// The next probe that must scan new modules, or nullptr. Probes scan new
// modules in the order in which they were attached. All probes scan one module
// before any probe scans the next, because handlers are called in the order of
// attachment. So the next probe is the first probe that has not seen the last
// arrival.
static tprt_probe *nextToScan() {
  Array<Arrival> &all = *arrivals;
  if (all.empty())
    return nullptr;
  for (tprt_probe *probe = pending; probe; probe = probe->nextPending)
    if (probe->seen < all[all.size() - 1].adopted)
      return probe;
  all.clear();
  return nullptr;
}

static tprt_status attachFresh(tprt_probe *probe, size_t before, Pins &pins) {
  tprt_result result{};
  tprt_status status = enableSites(probe, before, result);
  // If the batch ended before it reached any of these sites, they are still in
  // the list.
  probe->sites.resize(before + result.enabled);
  holdModules(probe, before, pins);
  say(2, "a probe of %zu site%s was attached to %zu of modules loaded later",
      before, before == 1 ? "" : "s", result.enabled);
  return status;
}

static bool isHeld(const tprt_probe *probe, const Module *module) {
  for (const Module *held : probe->held)
    if (held == module)
      return true;
  return false;
}

// Adds the sites of the new modules after the probe's other sites. If a module
// arrives again because probes had skipped it, an attach may have added its
// sites to this probe in the meantime.
static Selected selectFresh(tprt_probe *probe, const FoundNames &names,
                            bool again) {
  Selected selected = Selected::All;
  for (const Arrival &arrival : *arrivals)
    if (arrival.adopted > probe->seen && selected == Selected::All &&
        arrival.module->adopted == arrival.adopted &&
        !(arrival.again && isHeld(probe, arrival.module))) {
      if (mayPin(arrival.module))
        selected = selectFromModule(probe->pattern, names, again,
                                    arrival.module, probe->sites);
      else
        arrival.module->passedOver = true;
    }
  return selected;
}

// Lets one probe scan the new modules. Returns false if names must be found or
// modules pinned first, which happens without the lock. If `mayWait` is false,
// the probe skips these modules.
static bool look(tprt_probe *probe, const FoundNames &names, Pins &pins,
                 bool mayWait, tprt_status &status) {
  size_t before = probe->sites.size();
  Selected selected = selectFresh(probe, names, mayWait);
  if (selected == Selected::All && !wantPins(probe->sites, before, pins))
    selected = Selected::NoMemory;
  if (mayWait && (selected == Selected::Again || pins.wantsAny())) {
    probe->sites.resize(before);
    return false;
  }
  probe->seen = epoch;
  if (selected == Selected::All)
    dropUnpinned(probe->sites, before, pins);
  if (selected != Selected::All || !reserveHolds(probe, before)) {
    probe->sites.resize(before);
    status = fail(TPRT_STATUS_NO_MEMORY,
                  "no memory for the sites of a module loaded later");
  } else if (probe->sites.size() > before) {
    status = attachFresh(probe, before, pins);
  }
  return true;
}

// Lets the next probe scan the new modules. Returns false if no probe has to.
static bool attachNext(tprt_status &status) {
  Pins pins;
  FoundNames names;
  Pattern pattern{};   // a copy, because the probe may be freed in the meantime
  uint64_t number = 0; // the number of that probe, or 0 before it is known
  bool any = true;
  auto prepare = [&] {
    return !number ||
           (names.find(pattern, &*arrivals) && readInner(pattern, names));
  };
  auto choose = [&](Round round) {
    tprt_probe *probe = nextToScan();
    any = probe;
    if (!probe || (number && number != probe->number))
      return true;
    const bool isFirst = !number;
    number = probe->number;
    const bool memory =
        round.memory && (!isFirst || copyPattern(probe->pattern, pattern));
    // Instructions are read first, without the lock.
    const bool waits = isFirst && memory && pattern.isPlaced;
    return !waits && look(probe, names, pins, memory && round.mayWait, status);
  };
  chooseAndPin(pins, prepare, choose);
  Lock lock;
  freePattern(pattern);
  return any;
}

tprt_status attachPending() {
  tprt_status status = TPRT_STATUS_OK, one = TPRT_STATUS_OK;
  if (!havePending())
    return status;
  while (attachNext(one)) {
    status = status == TPRT_STATUS_OK ? one : status;
    one = TPRT_STATUS_OK;
  }
  keepWatch();
  return status;
}

} // namespace tprt
