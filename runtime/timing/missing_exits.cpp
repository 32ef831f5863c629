// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds functions that have an entry sled and no exit sled; see
// missing_exits.h.
#include "timing/missing_exits.h"
#include "actions/probe.h"
#include "code/code_modules.h"
#include "elf/symbols.h"
#include "modules/module.h"
#include "threads/lock.h"
#include "threads/status.h"

namespace tprt {

// Whether an exit that is not enabled yet may be. The first hit of an entry
// asks this while the attach continues. So what is known of code without sleds
// decides, before the attach comes to the exit. tpctl sets no traps.
static bool maySoonBeEnabled(const tprt_site &exit) {
  if (__atomic_load_n(&exit.refusal, __ATOMIC_RELAXED))
    return false;
  if (!exit.module()->isCode)
    return true;
  Means means = codeOf(exit).means;
  return means != Means::None && means != Means::Trap;
}

// A call of a profiler inside the function leaves it as little as any call.
static bool isExit(const tprt_site &site, const tprt_site &entry) {
  return site.isOfFunction() && site.functionAt == entry.functionAt &&
         site.event.kind != TPRT_KIND_ENTRY &&
         !(site.module()->isCode && codeOf(site).isInside);
}

// With `on`, one of its exits must be enabled already. A function that can also
// be left by an exit that no probe takes has none: how long its calls take
// would be right of some and wrong of others.
static bool hasExit(const tprt_site &entry, bool on) {
  const Module *module = entry.module();
  if (!(module->kinds & TPRT_KIND_SET_EXIT))
    return false;
  bool sorted = __atomic_load_n(&module->symbolsRead, __ATOMIC_ACQUIRE) &&
                module->ordered;
  size_t count = sorted ? module->byFunction.size() : module->siteCount, i = 0;
  bool any = false;
  if (sorted)
    i = functionFrom(module, reinterpret_cast<uint64_t>(entry.function()));
  for (; i < count; ++i) {
    const tprt_site &site =
        sites[sorted ? module->byFunction[i] : module->firstSite + i];
    if (sorted && site.functionAt != entry.functionAt)
      break;
    if (!isExit(site, entry))
      continue;
    bool enabled = __atomic_load_n(&site.enabled, __ATOMIC_RELAXED);
    if (!enabled && !maySoonBeEnabled(site))
      return false;
    any |= enabled || !on;
  }
  return any;
}

bool hasExit(const tprt_site *entry) { return hasExit(*entry, false); }

// An exit that was refused does not count, as only the function's entry is
// enabled then.
void findWithoutExits(const tprt_probe *probe,
                      void (*tell)(const tprt_site *, void *), void *data) {
  for (uint32_t index : probe->sites) {
    const tprt_site &site = sites[index];
    readSymbols(site.module());
    if (site.event.kind == TPRT_KIND_ENTRY && !hasExit(site, true))
      tell(&site, data);
  }
}

tprt_status explainWithoutExits(const tprt_probe *probe,
                                const char *consequence) {
  struct Found {
    const tprt_site *first = nullptr;
    size_t count = 0;
  } found;
  const char *name = nullptr;
  bool isCode = false;
  {
    Lock lock;
    findWithoutExits(
        probe,
        [](const tprt_site *entry, void *data) {
          auto &found = *static_cast<Found *>(data);
          found.first = found.count++ ? found.first : entry;
        },
        &found);
    if (!found.count)
      return TPRT_STATUS_OK;
    name = nameOf(*found.first);
    isCode = found.first->module()->isCode;
  }
  return fail(TPRT_STATUS_PARTIAL,
              "%zu %s entered but not left, the first %.80s (%p): %s their "
              "calls %s%s (or they never return)",
              found.count, found.count == 1 ? "function is" : "functions are",
              name ? name : "without a name",
              static_cast<const void *>(found.first->function()),
              isCode ? "no exit is known or can be probed, so"
                     : "without an exit sled",
              consequence, isCode ? "" : "; build with -ftp-exit");
}

} // namespace tprt
