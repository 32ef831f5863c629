// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Second stubs; see inline_stubs.h. Called under the lock, except for
// letRecord(), which hits call.
#include "text/inline_stubs.h"
#include "actions/action_list.h"
#include "actions/record_hook.h"
#include "threads/counters.h"

namespace tprt {

// The region that contains the site's stub of this kind, or nullptr if there is
// no such stub yet.
static StubRegion *madeFor(const tprt_site &site, const StubRegion *general,
                           StubKind kind, uint32_t &place) {
  StubRegion *region =
      general ? __atomic_load_n(&general->kinds[kind], __ATOMIC_ACQUIRE)
              : nullptr;
  if (!region)
    return nullptr;
  place = placeOf(site) - region->first;
  return region->area.isMade(pageOf(region->layout, place)) ? region : nullptr;
}

static StubRegion *madeFor(const tprt_site &site, StubKind kind,
                           uint32_t &place) {
  return madeFor(site, regionAt(site.module(), placeOf(site)), kind, place);
}

uint64_t secondStubOf(const tprt_site &site, const StubRegion *general,
                      StubKind kind) {
  uint32_t place;
  const StubRegion *region = madeFor(site, general, kind, place);
  return region && canHave(site, kind) ? region->stub(placeOf(site)) : 0;
}

uint64_t secondStubOf(const tprt_site &site, StubKind kind) {
  return secondStubOf(site, regionAt(site.module(), placeOf(site)), kind);
}

uint32_t recordWordOf(const tprt_site &site, const ActionList *actionList) {
  return actionList->records
             ? recorder->wordOf(site, actionList->entries[0].data)
             : 0;
}

static int32_t countWordOf(const tprt_site &site,
                           const ActionList *actionList) {
  uint32_t index = indexOf(&site);
  bool may = actionList->mode == kCount && mayCountInStub(index);
  if (site.module()->isCode)
    return wordOfFullCountStub(may);
  return may ? countWord(index) : 0;
}

static void storeWord(StubRegion *region, uint32_t place, int32_t word) {
  __atomic_store_n(&region->words[place], word, __ATOMIC_RELEASE);
}

void letSecondStubs(const tprt_site &site, const ActionList *actionList) {
  uint32_t place;
  const Module *module = site.module();
  const StubRegion *general = regionAt(module, placeOf(site));
  if (StubRegion *region =
          madeFor(site, general, countingKindOf(module), place))
    storeWord(region, place, countWordOf(site, actionList));
  if (StubRegion *region = madeFor(site, general, kRecording, place))
    storeWord(region, place,
              static_cast<int32_t>(recordWordOf(site, actionList)));
}

// Another thread may publish another action list at the same time, and stores
// its own word after that list. If that word was stored before this one, this
// function sees the new action list. The caller is in a hit or holds the lock,
// so the action list is not freed meanwhile.
void letRecord(const tprt_site &site, uint32_t word) {
  uint32_t place;
  StubRegion *region = madeFor(site, kRecording, place);
  if (!region)
    return;
  storeWord(region, place, static_cast<int32_t>(word));
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  const StubRegion *general = regionAt(site.module(), placeOf(site));
  const ActionList *actionList =
      __atomic_load_n(&general->data[place].actionList, __ATOMIC_ACQUIRE);
  if (!actionList->records)
    storeWord(region, place, 0);
}

const void *originalOf(const tprt_site &site) {
  uint32_t place;
  const StubRegion *region = madeFor(site, kOriginals, place);
  return region && region->words[place]
             ? reinterpret_cast<const void *>(region->stub(placeOf(site)))
             : nullptr;
}

} // namespace tprt
