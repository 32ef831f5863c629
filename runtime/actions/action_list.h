// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Action lists: the immutable list of actions at a site. One store to the
// site's data replaces an action list as a whole. The old action list is freed
// once no thread that is in a handler can still read it (quiesce.h); no detach
// waits for that. Equal lists that are made in one batch are one object.
// Everything here except the dispatcher is used under the lock.
#ifndef TPRT_ACTIONS_ACTION_LIST_H
#define TPRT_ACTIONS_ACTION_LIST_H

#include "sites/hit_layout.h"
#include "sites/site.h"

namespace tprt {

struct ActionListEntry {
  tprt_probe *probe;
  tprt_handler handler; // nullptr: the action is to count or to redirect.
  void *data;
  uint32_t every; // The action is only for each n-th hit; 0: for every hit.
  uint32_t flags; // The enum tprt_event_flags that the event gets.
  uint64_t everyKey;
};

// The data of the handlers that libtprt itself attaches for good. A hit that
// calls no handlers does not count as missed for them.
extern const char ownHandlersData;

struct ActionList : ActionListHead {
  // How many sites lead here, and how many caches hold it.
  uint32_t references;
  // How many of the entries have hits: all except those that skip a call. These
  // come first.
  uint32_t hits;
  bool skips;  // At least one entry skips the call that the site is.
  bool counts; // At least one entry counts.
  bool calls;  // At least one entry has a handler.
  // The only action is the recorder's, without options, so that the site's stub
  // may record in the handler's place.
  bool records;
  uint64_t retiredAt; // When it was retired, in actionListTime; 0: it was not.
  ActionList *nextRetired;
  ActionListEntry entries[];
};

extern ActionList theEmptyActionList TPRT_HIDDEN; // static, never freed
inline ActionList *emptyActionList() { return &theEmptyActionList; }

// The dispatcher: the handler of an action list that has several actions, or
// one action with options such as `every`. It calls the handlers in the order
// of attachment. In hits.
void dispatch(const tprt_event *event, const tprt_regs *regs, void *data);

// Whether a handler at this site needs more registers saved than kSaveVectors
// does.
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

// The action lists that a batch derived last, most recent first: neighbouring
// sites mostly have equal action lists. The cache holds a reference to each of
// its action lists, and to the action list that it was derived from. When the
// cache lets an action list go that nothing leads to any more, the action list
// is retired.
struct ActionListCache {
  static constexpr size_t kEntries = 8;
  struct Entry {
    const ActionList *from;
    ActionList
        *to; // nullptr: sites with the action list `from` are left alone.
  };
  Entry entries[2][kEntries]{}; // By isWide().

  ~ActionListCache();
  // Moves the entry for `from` to the front, and makes it if there is none. Its
  // `to` is the same action list with the probe's action added (`with`) or
  // removed. There is nothing to do if `from` is nullptr, or already has or
  // lacks the probe's action; `to` is nullptr then. False: no memory.
  bool derive(const ActionList *from, bool wide, tprt_probe *probe, bool with);
};

// The clock for marks and retirements. It advances with each look at the
// threads in handlers, and with each retirement of an action list. Under the
// lock.
extern uint64_t actionListTime;

// Frees the action lists that were replaced before the last barrier and that no
// critical section can still read: those that were retired at `oldest` or later
// (oldestSection(), called before).
void freeRetired(uint64_t oldest);

} // namespace tprt

#endif
