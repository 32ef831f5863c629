// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sites yield to breakpoints; see yield.h. Called under the lock.
#include "core/yield.h"
#include "core/flip.h"
#include "core/inner.h"
#include "core/os.h"
#include "core/status.h"
#include "core/stubs.h"

namespace tprt {

// Between two looks, where a site could need it and where none could, and how
// often a look's own time goes into that.
static constexpr uint64_t kPauseNs = 100'000'000, kIdleNs = 1'000'000'000,
                          kShare = 200;

// When the last look ended, and how long it took.
static uint64_t lookedAt, lookTook;

static bool isWatched(const Module *module) {
  return module->isCode && module->loaded && module->stubs;
}

// Whether the site is on by a jump that has other bytes than its instruction
// behind the first one.
static bool changesMore(const CodeSite &code) {
  return code.use & kInUse && changedBytes(code) > 1 &&
         (code.means == Means::Jump || code.means == Means::Hop ||
          code.means == Means::Pun);
}

// Gives the bytes behind the breakpoint back, by the store of a detach there
// (docs/safety.md, "What others leave").
static void yieldAt(const tprt_site &site) {
  const Module *module = site.module();
  const StubRegion *region = regionAt(module, placeOf(site));
  TextWriter writer = TextWriter::of(module, site, site);
  if (!region || !writer.look() ||
      writer.judge(extentOf(site, module->origin)) != TPRT_REFUSAL_NONE)
    return;
  SitePlan plan;
  plan.site = const_cast<tprt_site *>(&site);
  plan.ways = anyWaysOf(site, region);
  if (planToggle(site, module->origin, plan.ways, &plan.toggle) !=
          TPRT_REFUSAL_NONE ||
      formUnderBreakpoint(site, module->origin, plan.ways) != SledForm::On ||
      plan.toggle.bytes != 8 || isTraced())
    return;
  plan.keepsFirst = true;
  if (writer.open() && writer.storesWords()) {
    TextWriter::storePart(plan.toggle.address, plan.toggle.off, maskFor(plan));
    say(2, "%p in %s is off: somebody has set a uprobe or a breakpoint there",
        static_cast<const void *>(site.sled()), module->path);
  }
  writer.close();
}

TPRT_CODE_ACCESS void yieldToBreakpoints() {
  uint64_t began = nanoseconds();
  PageMemo memo;
  for (const Module *module = modules; module; module = module->next)
    for (uint32_t i = 0; isWatched(module) && i < module->code.size(); ++i) {
      const CodeSite &code = module->code[i];
      if (changesMore(code) && memo.has(module->origin + code.at) &&
          isBreakpointAt(
              reinterpret_cast<const uint8_t *>(module->origin + code.at)))
        yieldAt(sites[module->firstSite + i]);
    }
  lookedAt = nanoseconds();
  lookTook = lookedAt - began;
}

void yieldIfDue() {
  if (nanoseconds() - lookedAt >= yieldPause())
    yieldToBreakpoints();
}

uint64_t yieldPause() {
  for (const Module *module = modules; module; module = module->next)
    if (isWatched(module))
      return lookTook > kPauseNs / kShare ? lookTook * kShare : kPauseNs;
  return kIdleNs;
}

} // namespace tprt
