// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// AArch64: one store of an instruction of Arm ARM B2.2.5's list (safety.md,
// "AArch64"). The data cache is cleaned and the instruction cache invalidated;
// without that, a core may fetch the old instruction for any length of time,
// also after it was serialised. Steps: writeStub, publishCode(),
// Batch::flip(), wordsOfVeneer().
//
// remove STUB_PUBLISH: stub and veneer without publishCode()
// remove STUB_SYNC: without the SYNC before the branch is stored
// remove STUB_ORDER: the branch is stored before the stub is made
// remove VENEER_DATA: the veneer's address is stored after the SYNC
// remove ATTACH_SYNC: an attach's Batch::close() without SYNC
// remove DETACH_SYNC: a detach's
// remove LISTED: the sled is an instruction that is not in the list
#define CELLS 4
#define SLED 0
#define VENEER 1
#define ADDRESS 2 // data of the veneer, which a load reads
#define STUB 3
#include "parts/fetch.pml"

// SLED: which instruction. The first two are in the list.
#define NOP 0
#define BRANCH 1
#define OTHER 2
// VENEER, ADDRESS, STUB: 1 once written

#ifdef LISTED
#define OWN OTHER
#else
#define OWN NOP
#endif

bool hasVeneer, isPublished;
mtype = { attaching, on, detaching, off };
mtype phase = off;

// SYNC, as far as the caches are coherent.
inline synchronise(core) {
  d_step {
    serialise(core);
    if
    :: !isPublished ->
       MAY(core, STUB) = MAY(core, STUB) | 1;
       MAY(core, VENEER) = MAY(core, VENEER) | 1
    :: else
    fi
  }
}
inline synchroniseCaches() { synchronise(0); synchronise(1) }

// Constrained unpredictable: an instruction outside the list, while the core may
// still fetch another one.
inline callFunction(core, live) {
  atomic {
    assert(!(MAY(core, SLED) & (1 << OTHER)) || !(MAY(core, SLED) & ~(1 << OTHER)));
    fetch(core, SLED, sled);
    assert(!live || phase != on || sled == BRANCH);
    assert(!live || phase != off || sled != BRANCH)
  }
  if
  :: sled == BRANCH && hasVeneer ->
     atomic { fetch(core, VENEER, code); assert(code == 1) }
     atomic { fetch(core, ADDRESS, code); assert(code == 1); code = 0 }
  :: else
  fi;
  if
  :: sled == BRANCH -> atomic { fetch(core, STUB, code); assert(code == 1); code = 0 }
  :: else
  fi;
  sled = 0
}
#include "parts/threads.pml"

inline wordsOfVeneer() {
  if
  :: hasVeneer ->
     storeCode(VENEER, 1);
#ifndef VENEER_DATA
     storeCode(ADDRESS, 1)
#endif
  :: else
  fi
}

proctype Patcher() {
  byte turn;
  for (turn : 0 .. 1) {
    phase = attaching;
    if
    :: turn == 0 ->
#ifdef STUB_ORDER
       storeCode(SLED, BRANCH);
#endif
       storeCode(STUB, 1);
       wordsOfVeneer();
#ifndef STUB_PUBLISH
       isPublished = true; // publishCode()
#endif
#ifndef STUB_SYNC
       synchroniseCaches();
#endif
#ifdef VENEER_DATA
       storeCode(ADDRESS, 1)
#endif
    :: else
    fi;
    storeCode(SLED, BRANCH);
#ifndef ATTACH_SYNC
    synchroniseCaches();
#endif
    phase = on;
    phase = detaching;
    storeCode(SLED, OWN);
#ifndef DETACH_SYNC
    synchroniseCaches();
#endif
    phase = off
  }
}

init {
  atomic {
    storeCode(SLED, OWN);
    if
    :: hasVeneer = true
    :: hasVeneer = false
    fi;
    runThreads();
    run Patcher()
  }
}
