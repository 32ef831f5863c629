// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sites of a batch whose instructions are exchanged with their pages; see
// batch.h. All sites of one mapping are exchanged at once, because each
// exchange splits the mapping, and a process may have only 65,530 of them.
// Called under the lock.
#include "patch/batch.h"

#include <string.h>

namespace tprt {

// The plan was compared with the word in memory right before.
TPRT_CODE_ACCESS tprt_refusal Batch::storeWithPage(size_t position,
                                                   const SitePlan &plan) {
  const Toggle &toggle = plan.toggle;
  CodeWord word = {
      toggle.address, 0,
      static_cast<uint32_t>(plan.to == Direction::On ? toggle.on : toggle.off)};
  memcpy(&word.was, reinterpret_cast<const void *>(word.address),
         sizeof word.was);
  if (!pageStores.push(
          {position, plan.data, plan.before, plan.actionList, word})) {
    outOfMemory = true;
    return TPRT_REFUSAL_PERMISSION;
  }
  return TPRT_REFUSAL_NONE;
}

// The site was applied, and its page was not exchanged. On: threads may have
// found the action through another jump of the site, see Batch::apply().
void Batch::undo(const PageStore &store, tprt_refusal reason) {
  tprt_site &site = sites[probe->sites[store.position]];
  if (direction == Direction::On) {
    replace(site, *store.data, store.actionList,
            const_cast<ActionList *>(store.before));
    __atomic_store_n(&site.enabled, store.before && store.before->hits,
                     __ATOMIC_RELAXED);
    probe->strays = true;
  }
  SitePlan plan = {};
  plan.site = &site;
  plan.reason = reason;
  refuse(store.position, plan);
}

// The program may change the instructions of a page that it may write, between
// the last comparison and the exchange, and this change would be lost. On
// detach, the exchange is the lesser evil, because the stub may not be left on.
static bool mayChange(const Mapping &mapping) { return mapping.rights & PF_W; }

void Batch::exchangePagesOf(const Mapping &mapping, const Group &group,
                            const PageStore *stores, size_t count) {
  Array<CodeWord> words;
  tprt_refusal refusal = TPRT_REFUSAL_PERMISSION;
  if (direction == Direction::On && mayChange(mapping)) {
    refusal = TPRT_REFUSAL_EXCHANGE;
  } else if (words.reserve(count)) {
    for (size_t i = 0; i < count; ++i)
      words.push(stores[i].word); // reserved
    refusal =
        tprt::exchangePages(mapping, group.module->guard, words.begin(), count);
  }
  if (refusal == TPRT_REFUSAL_NONE)
    for (const CodeWord &word : words)
      publishCode(word.address, sizeof word.value);
  else
    for (size_t i = 0; i < count; ++i)
      undo(stores[i], refusal);
}

void Batch::exchangePages() {
  size_t i = 0;
  for (const Group &group : groups)
    for (const Mapping &mapping : group.writer.code->mappings) {
      const size_t begin = i;
      while (i < pageStores.size() && pageStores[i].position < group.end &&
             pageStores[i].word.address >= mapping.start &&
             pageStores[i].word.address < mapping.end)
        ++i;
      if (i > begin)
        exchangePagesOf(mapping, group, &pageStores[begin], i - begin);
    }
  for (; i < pageStores.size(); ++i) // not mapped
    undo(pageStores[i], TPRT_REFUSAL_PERMISSION);
  pageStores.reset();
}

} // namespace tprt
