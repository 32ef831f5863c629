// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chains; see action_list.h. Called under the lock. The dispatcher is in
// hit.cpp.
#include "actions/action_list.h"
#include "actions/probe.h"
#include "actions/record_hook.h"
#include "base/small_alloc.h"
#include "sites/arch.h"

#include <string.h>

namespace tprt {

uint64_t chainTime;

static Chain *retired;

static void doNothing(const tprt_event *, const tprt_regs *, void *) {}

// Static and never freed, because a thread may still arrive here after the last
// detach.
Chain theEmptyChain = {
    {doNothing, nullptr, doNothing, kSaveGeneral, 0, nullptr},
    0,
    0,
    false,
    false,
    false,
    false,
    0,
    nullptr};

static size_t bytesOf(uint32_t count) {
  return sizeof(Chain) + count * sizeof(ChainEntry);
}

static Chain *allocate(uint32_t count) {
  auto *chain = static_cast<Chain *>(allocateSmall(bytesOf(count)));
  if (chain)
    chain->count = count;
  return chain;
}

// Fills in the head from the entries. An action has only the members of its
// kind: tprt_probe_attach() refuses other actions.
static Chain *finish(Chain *chain, bool wide) {
  uint32_t mode = kSaveGeneral;
  for (uint32_t i = 0; i < chain->count; ++i) {
    const ChainEntry &entry = chain->entries[i];
    const tprt_action &action = entry.probe->action;
    ++entry.probe->chains;
    chain->counts |= action.kind == TPRT_ACTION_COUNT;
    chain->calls |= entry.handler != nullptr;
    chain->skips |= action.kind == TPRT_ACTION_SKIP;
    chain->hits += action.kind != TPRT_ACTION_SKIP;
    if (action.replacement)
      chain->redirect = action.replacement;
    // A handler that touches no vectors may still make system calls, and so may
    // the dispatcher, where it looks for an n-th hit.
    bool isQuiet = systemCallsKeepVectors() ||
                   (entry.probe->keepsVectors && entry.every <= 1);
    bool keepsVectors =
        action.flags & TPRT_HANDLER_GENERAL_REGS_ONLY && (!wide || isQuiet);
    if (entry.handler && !keepsVectors)
      mode = wide ? kSaveAll : kSaveVectors;
  }
  if (chain->redirect)
    mode = chain->calls || chain->counts ? kSaveAll : kRedirect;
  else if (!chain->calls && chain->hits)
    mode = kCount;
  chain->mode = mode;
  const ChainEntry &first = chain->entries[0];
  bool direct =
      chain->hits == 1 && first.handler && first.every <= 1 && !first.flags;
  first.probe->direct |= direct;
  chain->records = direct && isRecorders(first.handler);
  chain->handler = direct ? first.handler : chain->hits ? dispatch : doNothing;
  chain->data = direct ? first.data : chain;
  chain->general = mode == kSaveGeneral ? chain->handler : nullptr;
  return chain;
}

static Chain *make(const Chain *from, bool wide, tprt_probe *probe, bool with) {
  uint32_t count = from->count + (with ? 1 : -1);
  if (count == 0)
    return emptyChain();
  Chain *chain = allocate(count);
  if (!chain)
    return nullptr;
  ChainEntry *to = chain->entries;
  const tprt_action &action = probe->action;
  const bool skips = action.kind == TPRT_ACTION_SKIP;
  auto copy = [&](uint32_t first, uint32_t end) {
    for (uint32_t i = first; i < end; ++i)
      if (from->entries[i].probe != probe)
        *to++ = from->entries[i];
  };
  copy(0, skips ? from->count : from->hits);
  if (with)
    *to++ = {
        probe,
        action.handler,
        action.data,
        action.every,
        (action.flags & TPRT_HANDLER_TIME ? uint32_t{TPRT_EVENT_TIMED} : 0) |
            (action.flags & TPRT_HANDLER_CHANGES_REGS
                 ? uint32_t{TPRT_EVENT_CHANGES}
                 : 0),
        probe->everyKey};
  copy(skips ? from->count : from->hits, from->count);
  return finish(chain, wide);
}

static void retire(Chain *chain) {
  chain->nextRetired = retired;
  retired = chain;
}

static void hold(const Chain *chain) {
  if (chain)
    ++const_cast<Chain *>(chain)->references;
}

static void letGo(const Chain *chain) {
  auto *own = const_cast<Chain *>(chain);
  if (!own || --own->references || own == emptyChain())
    return;
  retire(own);
}

static void letGo(const ChainCache::Entry &entry) {
  letGo(entry.from);
  letGo(entry.to);
}

bool ChainCache::derive(const Chain *from, bool wide, tprt_probe *probe,
                        bool with) {
  Entry *row = entries[wide];
  if (row[0].from == from) // as at most sites
    return true;
  size_t at = 0;
  while (at < kEntries - 1 && row[at].from != from)
    ++at;
  Entry entry = row[at];
  if (entry.from != from) {
    Entry made = {from, nullptr};
    if (from && contains(from, probe) != with) {
      made.to = make(from, wide, probe, with);
      if (!made.to)
        return false;
    }
    hold(made.from);
    hold(made.to);
    letGo(entry);
    entry = made;
  }
  memmove(row + 1, row, at * sizeof *row);
  row[0] = entry;
  return true;
}

ChainCache::~ChainCache() {
  for (auto &row : entries)
    for (const Entry &entry : row)
      letGo(entry);
}

void freeRetired(uint64_t oldest) {
  // oldestStay() marks the stays that may have read a chain before it was
  // replaced. So these are older than the time at which the chain is retired,
  // and later stays are not.
  const uint64_t now = ++chainTime;
  Chain *list = retired;
  retired = nullptr;
  while (Chain *chain = list) {
    list = chain->nextRetired;
    if (!chain->retiredAt)
      chain->retiredAt = now;
    if (oldest <= chain->retiredAt) {
      retire(chain);
      continue;
    }
    for (uint32_t i = 0; i < chain->count; ++i) {
      tprt_probe *probe = chain->entries[i].probe;
      --probe->chains;
      releaseProbe(probe);
    }
    freeSmall(chain, bytesOf(chain->count));
  }
}

} // namespace tprt
