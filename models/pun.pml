// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// x86-64: the pun, whose jump ends in bytes of the next instruction, and what
// breakpoints of other software make of it (safety.md, "Neighbours", "What
// others leave"). Steps: makePuns(), Batch::flip(), storeAfterFirst().
//
// remove ISLAND_SYNC: Batch::flip() without the SYNC after makePuns()
// remove PUN_ORDER: the jump is stored before its islands are made
// remove VARIANT: no island for a breakpoint in the jump's last bytes
// remove YIELD: a detach, and the check for uprobes, leave the instruction's
//   other bytes under a uprobe as they are
// remove YIELD_ORDER: the uprobe goes before libtprt has looked for it
// remove WINDOW: a uprobe is set between the comparison and the store of an
//   attach
#define CELLS 4
#define OURS 0 // the instruction's bytes, in one aligned word
#define NEXT 1 // the byte in which the jump ends; 1 with a breakpoint
#define ISLAND 2 // ISLAND + n is where the jump leads if NEXT is n
#include "parts/fetch.pml"

// OURS: bits 0 and 1, the first byte; bit 2, whether the rest is the jump's.
#define FIRST 3
#define OPCODE 1
#define INT3 2
#define REST 4
#define JUMP (OPCODE | REST)

bool isSet, isLooked, isPlanned;
mtype = { attaching, on, detaching, off };
mtype phase = off;

inline callFunction(core, live) {
  atomic {
    fetch(core, OURS, sled);
    // No other mixture of the instruction and the jump.
    assert(sled == 0 || sled == JUMP || (sled & FIRST) == INT3);
    assert(!live || phase != on || sled != 0 || isSet);
    assert(!live || phase != off || sled != JUMP);
    if
    :: sled == JUMP ->
       fetch(core, NEXT, code);
       more = 1 + code // the island that the thread goes to
    :: else
    fi;
    code = 0; sled = 0
  }
  if // the island, the copy of the instruction, and on to NEXT
  :: more -> atomic { fetch(core, ISLAND + more - 1, code); assert(code == 1); code = 0; more = 0 }
  :: else // the instruction itself; at an int3, the kernel executes the file's
  fi
}
#include "parts/threads.pml"

inline makePuns() {
  storeCode(ISLAND, 1);
#ifndef VARIANT
  storeCode(ISLAND + 1, 1)
#endif
}

// yieldToBreakpoints(), of each attach, detach and of the thread that looks: one
// exchange that leaves the first byte as it is.
inline yield() {
  atomic {
    if
    :: now[OURS] == (INT3 | REST) ->
#ifndef YIELD
       storeCode(OURS, INT3);
#endif
       isLooked = true
    :: else -> isLooked = isSet
    fi
  }
}

proctype Patcher() {
  byte turn;
#ifndef PUN_ORDER
  makePuns();
#ifndef ISLAND_SYNC
  synchroniseCores();
#endif
#endif
  for (turn : 0 .. 1) {
    phase = attaching;
    d_step { isLooked = isSet }; // the last detach has yielded
    // The plan compares the bytes right before the store.
    if
    :: atomic { now[OURS] == 0 -> isPlanned = true };
       atomic { storeCode(OURS, JUMP); isPlanned = false };
#ifdef PUN_ORDER
       makePuns();
#endif
       synchroniseCores();
       phase = on;
       phase = detaching
    :: atomic { now[OURS] != 0 } // refused
    fi;
    yield();
    atomic {
      if
      :: now[OURS] == JUMP -> storeCode(OURS, 0)
      :: else // a uprobe: yield() has the other bytes
      fi
    }
    yield();
    synchroniseCores();
    phase = off
  }
}

proctype Uprobe() {
  atomic {
#ifndef WINDOW
    !isPlanned;
#endif
    storeCode(OURS, (now[OURS] & REST) | INT3);
    isSet = true;
    isLooked = false
  }
  atomic {
#ifndef YIELD_ORDER
    isLooked;
#endif
    assert((now[OURS] & FIRST) == INT3); // not overwritten
    storeCode(OURS, now[OURS] & REST) // the file's first byte
    isSet = false
  }
}

proctype Debugger() {
  storeCode(NEXT, 1);
  storeCode(NEXT, 0)
}

init {
  atomic {
    runThreads();
    run Patcher();
    run Uprobe();
    run Debugger()
  }
}
