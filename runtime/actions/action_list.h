// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Action lists: the immutable list of actions at a site. One store to the
// site's data replaces a whole action list. The old action list is freed once
// no thread in a handler can still read it (quiesce.h); no detach waits for
// that. Equal lists made in one batch are one object. Everything here except
// the dispatcher is used under the lock.
#ifndef TPRT_ACTIONS_ACTION_LIST_H
#define TPRT_ACTIONS_ACTION_LIST_H

#include "sites/hit_layout.h"
#include "sites/site.h"

namespace tprt {

struct ActionListEntry {
  tprt_probe *probe;
  tprt_handler handler; // nullptr means that the action is to count or to
                        // redirect.
  void *data;
  uint32_t every; // The action is for each n-th hit; 0 means for each hit.
  uint32_t flags; // The enum tprt_event_flags that the event gets.
  uint64_t everyKey;
};

// The data of the handlers that libtprt itself attaches for the life of the
// process. For these, a hit that calls no handler does not count as missed.
extern const char ownHandlersData;

struct ActionList : ActionListHead {
  // How many sites use this action list, plus how many caches hold it.
  uint32_t references;
  // How many of the entries have hits: all except those that skip a call. The
  // entries with hits come first.
  uint32_t hits;
  bool skips;  // At least one entry skips the call at the site.
  bool counts; // At least one entry counts.
  bool calls;  // At least one entry has a handler.
  // The only action is the recorder's, without options. So the site's stub may
  // record in place of the handler.
  bool records;
  uint64_t retiredAt; // When it was retired, in actionListTime; 0 means that it
                      // is in use.
  ActionList *nextRetired;
  ActionListEntry entries[];
};

extern ActionList theEmptyActionList TPRT_HIDDEN; // static, never freed
inline ActionList *emptyActionList() { return &theEmptyActionList; }

// The dispatcher: the handler of an action list that has several actions, or
// one action with options such as `every`. The dispatcher calls the handlers in
// the order of attachment. Called in hits.
void dispatch(const tprt_event *event, const tprt_regs *regs, void *data);

// Whether a handler at this site needs more saved registers than kSaveVectors
// saves.
inline bool isWide(const tprt_site &site) {
  return site.needs &
         (TPRT_NEEDS_VEC256 | TPRT_NEEDS_VEC512 | TPRT_NEEDS_SCALABLE |
          TPRT_NEEDS_STREAMING | TPRT_NEEDS_X87 | TPRT_NEEDS_OTHER);
}

inline bool contains(const ActionList *actionList, const tprt_probe *probe) {
  for (uint32_t i = 0; i < actionList->count; ++i)
    if (actionList->entries[i].probe == probe)
      return true;
  return false;
}

// Notes that a site now leads to `to` and no longer to `from`. The batch's
// cache holds a reference to `from`.
inline void exchangeReferences(const ActionList *from, ActionList *to) {
  ++to->references;
  --const_cast<ActionList *>(from)->references;
}

// The action lists that a batch derived last, most recent first, because most
// neighboring sites have equal action lists. The cache holds a reference to
// each of its action lists, and to the action list from which each was derived.
// When the cache drops an action list without sites, the action list is
// retired.
struct ActionListCache {
  static constexpr size_t kEntries = 8;
  struct Entry {
    const ActionList *from;
    ActionList
        *to; // nullptr means that sites with the action list `from` keep it.
  };
  Entry entries[2][kEntries]{}; // By isWide().

  ~ActionListCache();
  // Moves the entry for `from` to the front, and makes it if there is none. The
  // entry's `to` is the same action list with the probe's action added (`with`)
  // or removed. If `from` is nullptr, or already has or lacks the probe's
  // action, there is nothing to do, and `to` is nullptr. Returns false if there
  // is no memory.
  bool derive(const ActionList *from, bool wide, tprt_probe *probe, bool with);
};

// The clock for marks and retirements. The clock advances each time the threads
// in handlers are examined, and each time an action list is retired. Used under
// the lock.
extern uint64_t actionListTime;

// Frees the action lists that were replaced before the last barrier and that no
// critical section can still read. These were retired before `oldest`, the
// result of an earlier call of oldestSection().
void freeRetired(uint64_t oldest);

} // namespace tprt

#endif
