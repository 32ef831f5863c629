// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chains and their dispatcher; see chain.h.
#include "core/chain.h"
#include "core/arch.h"
#include "core/probe.h"
#include "core/threads.h"

namespace tprt {

static void doNothing(const tprt_event *, const tprt_regs *, void *) {}

// Static and never freed. A thread may still arrive after the last detach.
const Chain theEmptyChain = {doNothing, nullptr, kSaveGeneral, 0,      nullptr,
                             0,         false,   false,        nullptr};

namespace {
// What tprt_event_time() reads.
struct TimedEvent {
  tprt_event event;
  uint64_t time;
};
static_assert(sizeof(TimedEvent) == 24 && sizeof(tprt_event) == 16);
} // namespace

// More than one action, or one with wishes: in the order of attachment.
static void dispatch(const tprt_event *event, const tprt_regs *regs,
                     void *data) {
  const auto *chain = static_cast<const Chain *>(data);
  // A site has one counter, however many probes read it.
  uint64_t hits = chain->counts ? countHit(indexOf(event->site)) : 0;
  for (uint32_t i = 0; i < chain->count; ++i) {
    const ChainEntry &entry = chain->entries[i];
    if (!entry.handler || (entry.every > 1 && hits % entry.every != 0))
      continue;
    TimedEvent own = {*event, 0};
    own.event.flags |= entry.flags;
    if (entry.flags & TPRT_EVENT_TIMED)
      own.time = readTicks();
    entry.handler(&own.event, regs, entry.data);
  }
}

static size_t bytesOf(uint32_t count) {
  return sizeof(Chain) + count * sizeof(ChainEntry);
}

static Chain *allocate(uint32_t count) {
  auto *chain = static_cast<Chain *>(allocateSmall(bytesOf(count)));
  if (chain)
    chain->count = count;
  return chain;
}

// Fills the head from the entries.
static Chain *finish(Chain *chain, bool wide) {
  chain->mode = kSaveGeneral;
  for (uint32_t i = 0; i < chain->count; ++i) {
    const ChainEntry &entry = chain->entries[i];
    const tprt_action &action = entry.probe->action;
    chain->counts |= action.kind == TPRT_ACTION_COUNT || entry.every > 1;
    chain->calls |= entry.handler != nullptr;
    if (action.kind == TPRT_ACTION_REDIRECT)
      chain->redirect = action.replacement;
    else if (entry.handler && !(action.flags & TPRT_HANDLER_GENERAL_REGS_ONLY))
      chain->mode = wide ? kSaveAll : kSaveVectors;
  }
  if (chain->redirect)
    chain->mode = chain->calls || chain->counts ? kSaveAll : kRedirect;
  else if (!chain->calls)
    chain->mode = kCount;
  const ChainEntry &first = chain->entries[0];
  bool direct =
      chain->count == 1 && first.handler && first.every <= 1 && !first.flags;
  chain->handler = direct ? first.handler : dispatch;
  chain->data = direct ? first.data : chain;
  return chain;
}

static Chain *remember(ChainCache &cache, const Chain *from, bool wide,
                       Chain *to) {
  if (to && cache.used < 8) {
    cache.from[cache.used] = from;
    cache.wide[cache.used] = wide;
    cache.to[cache.used++] = to;
  }
  return to;
}

Chain *makeChainWith(ChainCache &cache, const Chain *from, bool wide,
                     tprt_probe *probe) {
  Chain *chain = allocate(from->count + 1);
  if (!chain)
    return nullptr;
  memcpy(chain->entries, from->entries, from->count * sizeof(ChainEntry));
  const tprt_action &action = probe->action;
  uint32_t flags =
      (action.flags & TPRT_HANDLER_TIME ? uint32_t{TPRT_EVENT_TIMED} : 0) |
      (action.flags & TPRT_HANDLER_CHANGES_REGS ? uint32_t{TPRT_EVENT_CHANGES}
                                                : 0);
  chain->entries[from->count] = {
      probe, action.kind == TPRT_ACTION_CALL ? action.handler : nullptr,
      action.data, action.every, flags};
  return remember(cache, from, wide, finish(chain, wide));
}

Chain *makeChainWithout(ChainCache &cache, const Chain *from, bool wide,
                        tprt_probe *probe) {
  uint32_t left = 0;
  for (uint32_t i = 0; i < from->count; ++i)
    left += from->entries[i].probe != probe;
  if (left == 0)
    return remember(cache, from, wide, const_cast<Chain *>(emptyChain()));
  Chain *chain = allocate(left);
  if (!chain)
    return nullptr;
  for (uint32_t i = 0, to = 0; i < from->count; ++i)
    if (from->entries[i].probe != probe)
      chain->entries[to++] = from->entries[i];
  return remember(cache, from, wide, finish(chain, wide));
}

static Chain *retired;

void retire(Chain *chain) {
  chain->nextRetired = retired;
  retired = chain;
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
