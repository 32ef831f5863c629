// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a site calls: an immutable list of actions. Replaced as a whole by one
// store to the site's data word; freed when no stay in a handler can still read
// it (stays.h), for which no detach waits. Equal lists made in one batch are
// one object. All but the dispatcher under the lock.
#ifndef TPRT_CORE_CHAIN_H
#define TPRT_CORE_CHAIN_H

#include "core/sites.h"

namespace tprt {

// What the trampoline must save before the call.
enum ChainMode : uint32_t {
  kSaveGeneral = 0, // general registers: every action touches nothing else
  kSaveVectors = 1, // and xmm0 to xmm7
  kSaveAll = 2, // and all vector, mask and x87 state (the record's needs), or a
                // redirection among others
  kRedirect = 3, // nothing: it is a redirection alone
  kCount = 4     // nothing: it just counts
};

struct ChainEntry {
  tprt_probe *probe;
  tprt_handler handler; // nullptr: count or redirect
  void *data;
  uint32_t every; // at each n-th hit only; 0: at every one
  uint32_t flags; // enum tprt_event_flags that the event gets
  uint64_t everyKey;
};

struct Chain {
  // The head is read by the trampoline; offsets in the architecture's frame.h.
  tprt_handler handler; // the one handler, or the dispatcher
  void *data;           // its data, or the chain itself
  tprt_handler general; // the same as `handler` where mode is kSaveGeneral,
                        // else nullptr
  uint32_t mode;        // ChainMode
  uint32_t count;       // entries
  const void *redirect; // the function to run in place of the site's; the last
                        // one attached
  uint32_t references;  // sites that lead here, and caches
  bool counts;          // at least one entry counts
  bool calls;           // at least one entry has a handler
  uint64_t retiredAt;   // in chainTime; 0: not yet
  Chain *nextRetired;
  ChainEntry entries[];
};

extern Chain theEmptyChain TPRT_HIDDEN; // static, never freed
inline Chain *emptyChain() { return &theEmptyChain; }

// The handler of a chain with more than one action, or one with wishes: in the
// order of attachment. In hits.
void dispatch(const tprt_event *event, const tprt_regs *regs, void *data);

// Whether a handler at this site must find more saved than kSaveVectors does.
inline bool isWide(const tprt_site &site) {
  return site.needs &
         (TPRT_NEEDS_VEC256 | TPRT_NEEDS_VEC512 | TPRT_NEEDS_SCALABLE |
          TPRT_NEEDS_STREAMING | TPRT_NEEDS_X87 | TPRT_NEEDS_OTHER);
}

inline bool contains(const Chain *chain, const tprt_probe *probe) {
  for (uint32_t i = 0; i < chain->count; ++i)
    if (chain->entries[i].probe == probe)
      return true;
  return false;
}

// A site now leads to `to` and no longer to `from`, which the batch's cache
// holds.
inline void exchangeReferences(const Chain *from, Chain *to) {
  ++to->references;
  --const_cast<Chain *>(from)->references;
}

// The chains derived last in a batch, most recent first: neighbouring sites
// mostly have equal ones. Holds a reference to each, and to what it was derived
// from. Chains that nothing leads to any more are retired when it lets them go.
struct ChainCache {
  static constexpr size_t kEntries = 8;
  struct Entry {
    const Chain *from;
    Chain *to; // nullptr: sites with that one are left alone
  };
  Entry entries[2][kEntries]{}; // for sites that are wide, and others

  ~ChainCache();
  // Makes the first entry that of `from`, with the probe's action added, or
  // without it. Nothing to do if it has the probe, or has not, or for none
  // (nullptr). False: no memory.
  bool derive(const Chain *from, bool wide, tprt_probe *probe, bool with);
};

// Frees what was replaced before the last barrier, and what no stay can still
// read.
void freeRetired();

} // namespace tprt

#endif
