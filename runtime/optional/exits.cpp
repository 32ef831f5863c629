// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds functions that have an entry sled and no exit sled; see exits.h.
#include "optional/exits.h"
#include "core/lock.h"
#include "core/module.h"
#include "core/probe.h"
#include "core/status.h"
#include "core/symbols.h"

namespace tprt {

// Whether `site` is an exit of the function that `entry` is of. With `on`, the
// exit must also be enabled.
static bool isExit(const tprt_site &site, const tprt_site &entry, bool on) {
  return site.isOfFunction() && site.functionAt == entry.functionAt &&
         site.event.kind != TPRT_KIND_ENTRY && (site.enabled || !on);
}

static bool hasExit(const tprt_site &entry, bool on) {
  const Module *module = entry.module();
  if (!(module->kinds & TPRT_KIND_SET_EXIT))
    return false;
  bool sorted = __atomic_load_n(&module->symbolsRead, __ATOMIC_ACQUIRE) &&
                module->ordered;
  size_t count = sorted ? module->byFunction.size() : module->siteCount, i = 0;
  if (sorted)
    i = functionFrom(module, reinterpret_cast<uint64_t>(entry.function()));
  for (; i < count; ++i) {
    const tprt_site &site =
        sites[sorted ? module->byFunction[i] : module->firstSite + i];
    if (isExit(site, entry, on))
      return true;
    if (sorted && site.functionAt != entry.functionAt)
      return false;
  }
  return false;
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
  }
  return fail(TPRT_STATUS_PARTIAL,
              "%zu %s entered but not left, the first %.80s (%p): without an "
              "exit sled their calls %s; build with -ftp-exit (or they never "
              "return)",
              found.count, found.count == 1 ? "function is" : "functions are",
              name ? name : "without a name",
              static_cast<const void *>(found.first->function()), consequence);
}

} // namespace tprt
