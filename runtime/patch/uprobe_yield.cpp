// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sites yield to breakpoints; see uprobe_yield.h. Called under the lock.
#include "patch/uprobe_yield.h"
#include "base/os_process.h"
#include "base/os_signal.h"
#include "base/os_thread.h"
#include "base/page_memo.h"
#include "patch/batch.h"
#include "patch/overlap.h"
#include "sites/arch.h"
#include "text/stub_regions.h"
#include "threads/status.h"

namespace tprt {

// kIdleNs: the time between two checks while no site needs its first byte.
// kShare: the time between two checks is at least kShare times the CPU time of
// a check.
static constexpr uint64_t kIdleNs = 1'000'000'000, kShare = 100;
// Whether a site that needs its first byte may be on. Written under the lock.
static bool isNeeded;

// When the last check ended, and the CPU time of the last check at which no
// site yielded.
static uint64_t lookedAt, lookTook;

// If all instructions have the same size, a breakpoint replaces a whole
// instruction, and its removal restores a whole instruction. So no site must
// yield there.
static bool isWatched(const Module *module) {
  return kCodeAlignment == 1 && module->isCode && module->loaded &&
         module->stubs;
}

static void setNeeded(bool needed) {
  __atomic_store_n(&isNeeded, needed, __ATOMIC_RELAXED);
}

bool mayNeedYield() { return __atomic_load_n(&isNeeded, __ATOMIC_RELAXED); }

void noteFirstByte() { setNeeded(kCodeAlignment == 1); } // see isWatched()

// Whether a breakpoint of other software is at a site that needs its first
// byte.
TPRT_CODE_ACCESS static bool isInTheWay(const tprt_site &site,
                                        const CodeSite &code, PageMemo &memo) {
  const Module *module = site.module();
  uint64_t at = module->origin + code.at;
  if (!memo.has(at) || !isBreakpointAt(reinterpret_cast<const uint8_t *>(at)))
    return false;
  const StubRegion *region = regionAt(module, placeOf(site));
  Extent extent = extentOf(site, module->origin);
  return region && memo.has(extent.start) && memo.has(extent.end - 1) &&
         formUnderBreakpoint(site, module->origin, anyWaysOf(site, region)) ==
             SledForm::On;
}

// Restores the instruction's bytes after its first byte, by the same store as a
// detach (docs/explanation/safety.md, "What others leave"). If a debugger has
// restored the first byte of our jump meanwhile, the jump stays.
TPRT_CODE_ACCESS static void storeAfterFirst(const SitePlan &plan,
                                             const TextWriter &writer) {
  const Toggle &toggle = plan.toggle;
  const uint64_t rest = maskFor(plan),
                 first = uint64_t{0xff}
                         << (reinterpret_cast<uint64_t>(plan.site->sled()) -
                             toggle.address) *
                                8;
  const auto *word = reinterpret_cast<const uint64_t *>(toggle.address);
  uint64_t now = 0;
  do
    now = __atomic_load_n(word, __ATOMIC_RELAXED);
  while (((now ^ toggle.on) & first) != 0 &&
         !writer.exchange(toggle.address, now,
                          (now & ~rest) | (toggle.off & rest)));
}

// Returns false if the site is left unchanged.
static bool yieldAt(const tprt_site &site, TextWriter &writer) {
  const Module *module = writer.module;
  SitePlan plan;
  plan.site = const_cast<tprt_site *>(&site);
  plan.ways = anyWaysOf(site, regionAt(module, placeOf(site)));
  plan.keepsFirst = true;
  if (writer.judge(extentOf(site, module->origin)) != TPRT_REFUSAL_NONE ||
      planToggle(site, module->origin, plan.ways, &plan.toggle) !=
          TPRT_REFUSAL_NONE ||
      plan.toggle.bytes != 8 || !writer.open() || !writer.storesWords())
    return false;
  storeAfterFirst(plan, writer);
  say(2, "%p in %s is off: a uprobe or a breakpoint was set there",
      static_cast<const void *>(site.sled()), module->path);
  return true;
}

// The code is opened only once, because the kernel searches for uprobes in the
// code each time. Returns whether any site has yielded.
static bool yieldAtAll(const Module *module, const Array<uint32_t> &places) {
  const tprt_site *all = &sites[module->firstSite];
  TextWriter writer =
      TextWriter::of(module, all[places[0]], all[places[places.size() - 1]]);
  bool any = false;
  beginTrials();
  if (writer.look())
    for (uint32_t place : places)
      any |= yieldAt(all[place], writer);
  writer.close();
  return any;
}

// A debugger may attach or detach at any time. So breakpoints are found first:
// if no debugger is attached after that, the breakpoints do not belong to a
// debugger.
void yieldToBreakpoints() {
  const uint64_t began = threadNanoseconds();
  bool any = false, needed = false;
  PageMemo memo;
  Array<uint32_t> places;
  for (const Module *module = modules; module; module = module->next) {
    places.clear();
    for (uint32_t i = 0; isWatched(module) && i < module->code.size(); ++i) {
      const CodeSite &code = module->code[i];
      if (!(code.use & kInUse) || !needsFirstByte(code))
        continue;
      needed = true;
      if (isInTheWay(sites[module->firstSite + i], code, memo) &&
          !places.push(i))
        break;
    }
    if (!places.empty() && !isTraced())
      any |= yieldAtAll(module, places);
  }
  setNeeded(needed);
  lookedAt = nanoseconds();
  // Bytes are restored once for each uprobe, and hundreds of uprobes may be set
  // at once. So the time of a check that restored bytes must not make later
  // checks less frequent.
  if (!any)
    lookTook = threadNanoseconds() - began;
}

static uint64_t pauseBetween() {
  if (!isNeeded)
    return kIdleNs;
  const uint64_t share = lookTook * kShare;
  return share > kYieldPauseNs ? share : kYieldPauseNs;
}

uint64_t yieldIfDue() {
  const uint64_t since = nanoseconds() - lookedAt;
  if (since < pauseBetween())
    return pauseBetween() - since;
  yieldToBreakpoints();
  return pauseBetween();
}

} // namespace tprt
