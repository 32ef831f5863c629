// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// x86-64: the return's dead tail (safety.md, "Unreachable"). A `ret` becomes the
// opcode of a jump, whose distance is in the four dead bytes after it. Each byte
// is a cell: the model needs no aligned word. Steps: planSlot(), planRet(),
// Batch::prepareStubs().
//
// remove TAIL_SYNC: Batch::flip() without the SYNC between the passes. A jump
//   across a cache line then crashed at every offset
// remove ATTACH_SYNC: an attach's Batch::close() without SYNC
// remove DETACH_SYNC: a detach's, so a thread may still fetch the jump when the
//   next attach writes the tail
// remove TAIL_ORDER: the opcode is stored before the tail
// remove RETRIED_SYNC: Batch::prepareStubs() without SYNC after a SYNC that
//   failed in Batch::close()
#define CELLS 3
#define OPCODE 0
#define TAIL 1 // two of the four dead bytes
#define MORE 2
#include "parts/fetch.pml"

#define JUMP 1 // OPCODE; 0 is the ret
// TAIL, MORE: 0 before the first use, else the stub that the jump leads to.
#define GENERAL 1
#define COUNTING 2

bool hasFailed;
mtype = { attaching, on, detaching, off };
mtype phase = off;

inline callFunction(core, live) {
  atomic {
    fetch(core, OPCODE, sled);
    assert(!live || phase != on || sled == JUMP);
    assert(!live || phase != off || sled != JUMP);
    if
    :: sled == JUMP ->
       fetch(core, TAIL, code);
       fetch(core, MORE, more);
       assert(code == more && code != 0)
    :: else
    fi;
    sled = 0; code = 0; more = 0
  }
}
#include "parts/threads.pml"

inline fillSlot(stub) {
  if // in any order
  :: storeCode(TAIL, stub); storeCode(MORE, stub)
  :: storeCode(MORE, stub); storeCode(TAIL, stub)
  fi
}

proctype Patcher() {
  byte turn;
  bool isSynchronised;
  for (turn : 0 .. 2) {
    phase = attaching;
#ifndef RETRIED_SYNC
    if
    :: !isSynchronised -> synchroniseCores() // synchroniseIfNeeded()
    :: else
    fi;
#endif
#ifdef TAIL_ORDER
    storeCode(OPCODE, JUMP);
#endif
    fillSlot((turn & 1 -> COUNTING : GENERAL));
#ifndef TAIL_SYNC
    synchroniseCores();
#endif
    storeCode(OPCODE, JUMP);
#ifndef ATTACH_SYNC
    synchroniseCores();
#endif
    phase = on;
    phase = detaching;
    storeCode(OPCODE, 0);
    if
    :: !hasFailed -> hasFailed = true; isSynchronised = false // detach is not over
    ::
#ifndef DETACH_SYNC
       synchroniseCores();
#endif
       isSynchronised = true;
       phase = off
    fi
  }
}

init {
  atomic {
    runThreads();
    run Patcher()
  }
}
