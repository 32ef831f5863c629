// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a trampoline reads and writes of a thread's block and of a chain: the
// head of each. The offsets are in the architecture's frame.h.
#ifndef TPRT_CORE_PLAIN_HIT_H
#define TPRT_CORE_PLAIN_HIT_H

#include "tprt/tprt.h"

#include <stdint.h>

namespace tprt {

// Beside the position, in a guard or in a block's `left`.
enum StayBits : uint64_t {
  kMarked = 1,     // a detacher has seen it
  kDispatched = 2, // the dispatcher runs the handlers, and says whose
  kOdd = 4,        // the position is not a multiple of 8, so what is here is
                   // below it, and the frame cannot be read
  kStayBits = 7
};

// Of core/threads.h.
struct ThreadHead {
  // Position of the hit on the stack while a handler runs, else 0; positions
  // are multiples of 8, and the three low bits say more (stays.h). Written by
  // its own thread with plain stores; read by detachers, which pair with it by
  // membarrier.
  uint64_t guard;
  // Where this thread's libc keeps errno.
  int *errnoLocation;
  // The newest of its counters, by site index.
  uint64_t *counters;
  const tprt_site *sites;
  // Of how many sites these are, in bytes of `sites`: what trampolines compare
  // with. Stored after `counters`.
  uint32_t counted;
};

// What the trampoline must save before the call.
enum ChainMode : uint32_t {
  kSaveGeneral = 0, // general registers: every action touches nothing else
  kSaveVectors = 1, // and xmm0 to xmm7
  kSaveAll = 2, // and all vector, mask and x87 state (the record's needs), or a
                // redirection among others
  kRedirect = 3, // nothing: it is a redirection alone
  kCount = 4     // nothing: it just counts
};

// Of core/chain.h.
struct ChainHead {
  tprt_handler handler; // the one handler, or the dispatcher
  void *data;           // its data, or the chain itself
  tprt_handler general; // the same as `handler` where mode is kSaveGeneral,
                        // else nullptr
  uint32_t mode;        // ChainMode
  uint32_t count;       // entries
  const void *redirect; // the function to run in place of the site's; the last
                        // one attached
};

} // namespace tprt

#endif
