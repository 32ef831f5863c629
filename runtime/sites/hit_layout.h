// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The heads of a thread's block and of an action list: the members that
// trampolines read and write. The architecture's frame.h has their offsets.
#ifndef TPRT_SITES_HIT_LAYOUT_H
#define TPRT_SITES_HIT_LAYOUT_H

#include "tprt/tprt.h"

#include <stdint.h>

namespace tprt {

// The three low bits of a guard, and of each item in the array `left` of a
// block. The other bits are a stack position.
enum SectionBits : uint64_t {
  kMarked = 1, // A detacher has seen the critical section.
  // The dispatcher calls the handlers, and `running` is the probe.
  kDispatched = 2,
  // The hit's position is not a multiple of 8. The bits above are the next
  // lower multiple of 8, and the frame cannot be read.
  kOdd = 4,
  kSectionBits = 7
};

// The head of a thread's block (Thread in threads/thread_block.h).
struct ThreadHead {
  // While a handler runs, the stack position of its hit; else 0. Positions are
  // multiples of 8; the three low bits are SectionBits (quiesce.h). The block's
  // thread writes the guard with plain stores. Detachers read it and pair with
  // these stores by membarrier.
  uint64_t guard;
  // The address of this thread's errno in libc.
  int *errnoLocation;
  // The thread's newest array of counters, indexed by site.
  uint64_t *counters;
  const tprt_site *sites;
  // The size of `counters`: the number of its sites times sizeof(tprt_site).
  // Trampolines compare a site's offset in `sites` with this. Stored after
  // `counters`.
  uint32_t counted;
};

// What the trampoline must save before it calls the handler.
enum ActionListMode : uint32_t {
  // The general registers; no action changes other registers.
  kSaveGeneral = 0,
  kSaveVectors = 1, // The general registers and xmm0 to xmm7.
  // The general registers and all vector, mask and x87 state, because the
  // record's needs say so or because one of the actions is a redirection.
  kSaveAll = 2,
  kRedirect = 3, // Nothing, because the only action is a redirection.
  kCount = 4     // Nothing, because the only action is to count.
};

// A bit of the flags of an event, only for handlers that keep vectors: what had
// to be saved is more than the general registers. So tprt_regs_vectors() has
// the program's values, and the registers themselves may have changed.
constexpr uint32_t kVectorsInFrame = uint32_t{1} << 31;

// The head of an action list (ActionList in actions/action_list.h).
struct ActionListHead {
  tprt_handler handler; // The only handler, or the dispatcher.
  void *data; // The handler's data; for the dispatcher the action list itself.
  // The same as `handler` if `mode` is kSaveGeneral, else nullptr.
  tprt_handler general;
  uint32_t mode;  // An ActionListMode.
  uint32_t count; // The number of entries.
  // The function to run in place of the site's function, from the redirection
  // that was attached last.
  const void *redirect;
};

} // namespace tprt

#endif
