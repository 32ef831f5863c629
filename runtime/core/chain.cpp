// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chains and their dispatcher; see chain.h.
#include "core/chain.h"
#include "core/probe.h"
#include "core/threads.h"

namespace tprt {

static void doNothing(const tprt_event *, const tprt_regs *, void *) {}

// Static and never freed. A thread may still arrive after the last detach.
static const struct {
  tprt_handler handler;
  void *data;
  uint32_t mode, count, references;
  bool countOnly, counts;
  Chain *nextRetired;
} theEmptyChain = {doNothing, nullptr, kSaveGeneral, 0, 0, false, false, nullptr};

const Chain *emptyChain() { return reinterpret_cast<const Chain *>(&theEmptyChain); }

// More than one action: in the order of attachment.
static void dispatch(const tprt_event *event, const tprt_regs *regs, void *data) {
  const auto *chain = static_cast<const Chain *>(data);
  bool counted = false; // a site has one counter, however many probes read it
  for (uint32_t i = 0; i < chain->count; ++i) {
    const ChainEntry &entry = chain->entries[i];
    if (entry.handler)
      entry.handler(event, regs, entry.data);
    else if (!counted)
      countHit(indexOf(event->site)), counted = true;
  }
}

static size_t bytesOf(uint32_t count) { return sizeof(Chain) + count * sizeof(ChainEntry); }

static Chain *allocate(uint32_t count) {
  auto *chain = static_cast<Chain *>(allocateSmall(bytesOf(count)));
  if (chain)
    chain->count = count;
  return chain;
}

// Fills the head from the entries.
static Chain *finish(Chain *chain, bool wide) {
  chain->mode = kSaveGeneral;
  chain->countOnly = chain->count > 0;
  for (uint32_t i = 0; i < chain->count; ++i) {
    ChainEntry &entry = chain->entries[i];
    chain->counts |= !entry.handler;
    if (entry.handler) {
      chain->countOnly = false;
      if (!(entry.probe->action.flags & TPRT_HANDLER_GENERAL_REGS_ONLY))
        chain->mode = wide ? kSaveAll : kSaveVectors;
    }
  }
  bool single = chain->count == 1 && !chain->countOnly;
  chain->handler = single ? chain->entries[0].handler : dispatch;
  chain->data = single ? chain->entries[0].data : chain;
  return chain;
}

static Chain *cached(ChainCache &cache, const Chain *from, bool wide) {
  for (unsigned i = 0; i < cache.used; ++i)
    if (cache.from[i] == from && cache.wide[i] == wide)
      return cache.to[i];
  return nullptr;
}

static Chain *remember(ChainCache &cache, const Chain *from, bool wide, Chain *to) {
  if (to && cache.used < 8) {
    cache.from[cache.used] = from;
    cache.wide[cache.used] = wide;
    cache.to[cache.used++] = to;
  }
  return to;
}

Chain *chainWith(ChainCache &cache, const Chain *from, bool wide, tprt_probe *probe) {
  if (Chain *known = cached(cache, from, wide))
    return known;
  Chain *chain = allocate(from->count + 1);
  if (!chain)
    return nullptr;
  memcpy(chain->entries, from->entries, from->count * sizeof(ChainEntry));
  chain->entries[from->count] = {probe, probe->action.kind == TPRT_ACTION_CALL ? probe->action.handler : nullptr,
                                 probe->action.data};
  return remember(cache, from, wide, finish(chain, wide));
}

Chain *chainWithout(ChainCache &cache, const Chain *from, bool wide, tprt_probe *probe) {
  if (Chain *known = cached(cache, from, wide))
    return known;
  uint32_t left = 0;
  for (uint32_t i = 0; i < from->count; ++i)
    left += from->entries[i].probe != probe;
  if (left == 0)
    return const_cast<Chain *>(emptyChain());
  Chain *chain = allocate(left);
  if (!chain)
    return nullptr;
  for (uint32_t i = 0, to = 0; i < from->count; ++i)
    if (from->entries[i].probe != probe)
      chain->entries[to++] = from->entries[i];
  return remember(cache, from, wide, finish(chain, wide));
}

static Chain *retired;

void exchangeReferences(const Chain *from, Chain *to) {
  if (to != emptyChain())
    ++to->references;
  if (from == emptyChain())
    return;
  auto *old = const_cast<Chain *>(from);
  if (--old->references == 0) {
    old->nextRetired = retired;
    retired = old;
  }
}

Chain *takeRetired() {
  Chain *list = retired;
  retired = nullptr;
  return list;
}

void giveBackRetired(Chain *list) {
  while (list) {
    Chain *next = list->nextRetired;
    list->nextRetired = retired;
    retired = list;
    list = next;
  }
}

void freeChains(Chain *list) {
  while (list) {
    Chain *next = list->nextRetired;
    freeSmall(list, bytesOf(list->count));
    list = next;
  }
}

} // namespace tprt
