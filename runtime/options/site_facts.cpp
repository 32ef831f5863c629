// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the tables and messages of TPRT_OPTIONS ask of sites and probes; see
// site_facts.h. Any thread; async-signal-safe.
#include "options/site_facts.h"
#include "actions/probe.h"
#include "elf/symbols.h"
#include "modules/point_groups.h"
#include "patch/probe_counts.h"

namespace tprt {

SiteFacts lookAt(const tprt_site *site) {
  const Module *module = site->module();
  bool read = __atomic_load_n(&module->symbolsRead, __ATOMIC_ACQUIRE);
  SiteFacts facts;
  facts.point = site->isOfFunction() ? nullptr : &descriptorOf(*site);
  facts.name = facts.point ? nameOf(*facts.point)
               : read      ? nameOf(*site)
                           : nullptr;
  facts.module = module;
  facts.path = module->path;
  facts.function = site->isOfFunction() ? site->function() : site->sled();
  facts.index = indexOf(site);
  facts.isEntry = site->event.kind == TPRT_KIND_ENTRY;
  facts.isInstruction = site->event.kind == TPRT_KIND_INSTRUCTION;
  facts.offset = site->sled() - static_cast<const uint8_t *>(facts.function);
  facts.hasSymbols = read && !module->strings.empty();
  return facts;
}

void visitCounts(const tprt_probe *probe,
                 void (*tell)(const tprt_site *, uint64_t, void *),
                 void *data) {
  visitCounts(*probe, [=](uint32_t site, uint64_t count) {
    tell(&sites[site], count, data);
  });
  // Those at which it does not count yet.
  for (size_t i = countedSites(*probe); i < probe->sites.size(); ++i)
    tell(&sites[probe->sites[i]], 0, data);
}

bool haveSites() {
  for (const Module *m = modules; m; m = m->next)
    if (m->loaded && m->siteCount)
      return true;
  return false;
}

} // namespace tprt
