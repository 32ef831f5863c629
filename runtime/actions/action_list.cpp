// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Action lists; see action_list.h. Called under the lock. The dispatcher is in
// hit.cpp.
#include "actions/action_list.h"
#include "actions/probe.h"
#include "actions/record_hook.h"
#include "base/small_alloc.h"
#include "sites/arch.h"

#include <string.h>

namespace tprt {

uint64_t actionListTime;

static ActionList *retired;

static void doNothing(const tprt_event *, const tprt_regs *, void *) {}

// Static and never freed, because a thread may still read this list after the
// last detach.
ActionList theEmptyActionList = {
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
  return sizeof(ActionList) + count * sizeof(ActionListEntry);
}

static ActionList *allocate(uint32_t count) {
  auto *actionList = static_cast<ActionList *>(allocateSmall(bytesOf(count)));
  if (actionList)
    actionList->count = count;
  return actionList;
}

// Fills in the head from the entries. An action has only the members of its
// kind: tprt_probe_attach() refuses other actions.
static ActionList *finish(ActionList *actionList, bool wide) {
  uint32_t mode = kSaveGeneral;
  for (uint32_t i = 0; i < actionList->count; ++i) {
    const ActionListEntry &entry = actionList->entries[i];
    const tprt_action &action = entry.probe->action;
    holdProbe(entry.probe);
    actionList->counts |= action.kind == TPRT_ACTION_COUNT;
    actionList->calls |= entry.handler != nullptr;
    actionList->skips |= action.kind == TPRT_ACTION_SKIP;
    actionList->hits += action.kind != TPRT_ACTION_SKIP;
    if (action.replacement)
      actionList->redirect = action.replacement;
    // A handler without vector registers may still make system calls. The
    // dispatcher may also make system calls, when it checks for an n-th hit.
    bool isQuiet = systemCallsKeepVectors() ||
                   (entry.probe->keepsVectors && entry.every <= 1);
    bool keepsVectors =
        action.flags & TPRT_HANDLER_GENERAL_REGS_ONLY && (!wide || isQuiet);
    if (entry.handler && !keepsVectors)
      mode = wide ? kSaveAll : kSaveVectors;
  }
  if (actionList->redirect)
    mode = actionList->calls || actionList->counts ? kSaveAll : kRedirect;
  else if (!actionList->calls && actionList->hits)
    mode = kCount;
  actionList->mode = mode;
  const ActionListEntry &first = actionList->entries[0];
  bool direct = actionList->hits == 1 && first.handler && first.every <= 1 &&
                !first.flags;
  first.probe->direct |= direct;
  actionList->records = direct && isRecorders(first.handler);
  actionList->handler = direct             ? first.handler
                        : actionList->hits ? dispatch
                                           : doNothing;
  actionList->data = direct ? first.data : actionList;
  actionList->general = mode == kSaveGeneral ? actionList->handler : nullptr;
  return actionList;
}

static ActionList *make(const ActionList *from, bool wide, tprt_probe *probe,
                        bool with) {
  uint32_t count = from->count + (with ? 1 : -1);
  if (count == 0)
    return emptyActionList();
  ActionList *actionList = allocate(count);
  if (!actionList)
    return nullptr;
  ActionListEntry *to = actionList->entries;
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
  return finish(actionList, wide);
}

static void retire(ActionList *actionList) {
  actionList->nextRetired = retired;
  retired = actionList;
}

static void hold(const ActionList *actionList) {
  if (actionList)
    ++const_cast<ActionList *>(actionList)->references;
}

static void letGo(const ActionList *actionList) {
  auto *own = const_cast<ActionList *>(actionList);
  if (!own || --own->references || own == emptyActionList())
    return;
  retire(own);
}

static void letGo(const ActionListCache::Entry &entry) {
  letGo(entry.from);
  letGo(entry.to);
}

bool ActionListCache::derive(const ActionList *from, bool wide,
                             tprt_probe *probe, bool with) {
  Entry *row = entries[wide];
  if (row[0].from == from) // true at most sites
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

ActionListCache::~ActionListCache() {
  for (auto &row : entries)
    for (const Entry &entry : row)
      letGo(entry);
}

void freeRetired(uint64_t oldest) {
  // oldestSection() marks the critical sections that may have read an action
  // list before it was replaced. So these critical sections are older than the
  // time at which the action list is retired, and later ones are not.
  const uint64_t now = ++actionListTime;
  ActionList *list = retired;
  retired = nullptr;
  while (ActionList *actionList = list) {
    list = actionList->nextRetired;
    if (!actionList->retiredAt)
      actionList->retiredAt = now;
    if (oldest <= actionList->retiredAt) {
      retire(actionList);
      continue;
    }
    for (uint32_t i = 0; i < actionList->count; ++i)
      releaseProbe(actionList->entries[i].probe);
    freeSmall(actionList, bytesOf(actionList->count));
  }
}

} // namespace tprt
