// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The calls that only look: sites, counts, figures.
#include "core/flip.h"
#include "core/probe.h"
#include "core/status.h"
#include "core/stubs.h"
#include "core/threads.h"

// Here, as handlers may ask.
namespace tprt {
const char *nameOf(const tprt_site &site) {
  const Module *module = site.module();
  uint32_t place = placeOf(site);
  uint32_t at = place < module->nameAt.size() ? module->nameAt[place] : 0;
  return at ? module->strings.begin() + at - 1 : nullptr;
}
} // namespace tprt

using namespace tprt;

tprt_status tprt_modules_refresh() {
  if (insideHandler())
    return fail(TPRT_STATUS_IN_HANDLER,
                "refreshing is not allowed from inside a handler");
  Array<Pin> pins;
  tprt_status later = TPRT_STATUS_OK;
  tprt_status status = refreshModules(pins, false, &later);
  unpin(pins);
  return status == TPRT_STATUS_OK ? later : status;
}

tprt_status tprt_sites_visit(const tprt_selector *selector,
                             int (*visit)(const tprt_site *, void *),
                             void *data) {
  if (!visit)
    return fail(TPRT_STATUS_INVALID_ARGUMENT,
                "visiting sites needs a function to call");
  Array<Pin> pins;
  tprt_status status =
      beginToSelect(selector, insideHandler(), "visiting sites", pins);
  Array<uint32_t> found;
  if (status == TPRT_STATUS_OK) {
    Lock lock;
    Pattern pattern{};
    if (!readSelector(selector, pattern) || !selectSites(pattern, found))
      status = fail(TPRT_STATUS_NO_MEMORY, "no memory for the list of sites");
    else if (found.empty())
      status = explainNothing(pattern);
    freePattern(pattern);
  }
  // Without the lock, with the modules pinned: visit may ask for more.
  for (uint32_t index : found)
    if (visit(&sites[index], data))
      break;
  unpin(pins);
  return status;
}

// Whether it is one, of a module that is loaded or was.
static bool isSite(const tprt_site *site) {
  return sites && site >= sites && site < sites + kMaxSites &&
         site->moduleNumber;
}

// What tprt_site_info.enabled says. The site's own bytes decide, where they may
// be read: its module can't go away while a probe holds it. Under the lock.
static uint8_t enabledNow(const tprt_site &site, PageMemo &memo) {
  if (!site.enabled || (site.module()->holders && !isFlipped(site, memo)))
    return 0;
  return isTrapped(site) ? 2 : 1;
}

// The same inside a handler, which takes no lock: what the last batch left.
static uint8_t enabledLast(const tprt_site &site) {
  uint8_t enabled = __atomic_load_n(&site.enabled, __ATOMIC_RELAXED);
  return enabled && isTrapped(site) ? 2 : enabled;
}

tprt_status tprt_site_describe(const tprt_site *site, tprt_site_info *info) {
  if (!info || !isSite(site))
    return insideHandler()
               ? TPRT_STATUS_INVALID_ARGUMENT
               : fail(TPRT_STATUS_INVALID_ARGUMENT, "that is not a site");
  Module *module = site->module();
  uint8_t enabled = enabledLast(*site);
  if (!insideHandler() &&
      (enabled || !__atomic_load_n(&module->symbolsRead, __ATOMIC_ACQUIRE))) {
    Lock lock;
    PageMemo memo;
    readSymbols(module);
    enabled = enabledNow(*site, memo);
  }
  *info = {site->sled(),
           site->function(),
           nameOf(*site),
           module->path,
           static_cast<uint8_t>(site->event.event),
           static_cast<uint8_t>(site->shape()),
           static_cast<uint8_t>(site->live()),
           site->needs,
           enabled,
           static_cast<tprt_refusal>(
               __atomic_load_n(&site->refusal, __ATOMIC_RELAXED))};
  return module->loaded ? TPRT_STATUS_OK : TPRT_STATUS_INVALID_ARGUMENT;
}

const void *tprt_site_original(const tprt_site *site) {
  if (!isSite(site))
    return nullptr;
  // A replacement may ask from inside a handler of the same thread: its lock is
  // never held there.
  Lock lock;
  return originalOf(*site);
}

static uint64_t countAt(const tprt_probe *probe, size_t i) {
  return sumCounters(probe->sites[i]) - probe->baselines[i];
}

uint64_t tprt_probe_count(const tprt_probe *probe) {
  if (!probe || probe->action.kind != TPRT_ACTION_COUNT || insideHandler())
    return 0;
  Lock lock; // a module loaded meanwhile adds sites
  uint64_t sum = 0;
  for (size_t i = 0; i < probe->sites.size(); ++i)
    sum += countAt(probe, i);
  return sum;
}

void tprt_probe_counts(const tprt_probe *probe,
                       int (*visit)(const tprt_site *, uint64_t, void *),
                       void *data) {
  if (!probe || !visit || probe->action.kind != TPRT_ACTION_COUNT ||
      insideHandler())
    return;
  struct Count {
    uint32_t site;
    uint64_t count;
  };
  Array<Count> counts;
  {
    Lock lock;
    for (size_t i = 0; i < probe->sites.size(); ++i)
      counts.push({probe->sites[i], countAt(probe, i)}); // or no memory
  }
  // Without the lock: visit may ask for a site's name.
  for (const Count &c : counts)
    if (visit(&sites[c.site], c.count, data))
      return;
}

void tprt_stats_read(tprt_stats *stats) {
  if (!stats)
    return;
  *stats = tprt_stats{};
  if (insideHandler())
    return;
  PageMemo memo;
  Lock lock;
  for (const Module *m = modules; m; m = m->next) {
    if (!m->loaded || m->fault)
      continue;
    stats->modules += m->siteCount || !m->foreign;
    stats->sites += m->siteCount;
    for (uint32_t i = 0; i < m->siteCount; ++i)
      stats->enabled += enabledNow(sites[m->firstSite + i], memo) != 0;
  }
  stats->bad_modules = badModules;
  stats->missed = sumMissed();
  stats->stub_bytes = stubBytes();
}
