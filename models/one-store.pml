// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// x86-64: one store in a word (safety.md, "One instruction", "Neighbours",
// "Unreachable"). A sled or an instruction inside an aligned quadword becomes a
// jump to the stub, or to an island that leads there. Steps: runtime/patch/batch.cpp,
// TextWriter::toggleWord().
//
// remove STUB_SYNC: Batch::prepareStubs() without synchroniseIfNeeded()
// remove ISLAND_SYNC: Batch::flip() without the SYNC after makeIslands()
// remove ATTACH_SYNC: an attach's Batch::close() without SYNC
// remove DETACH_SYNC: a detach's
// remove ISLAND_ORDER: the sled is flipped before the island is made
// remove PUBLISH_ORDER: the sled is flipped before the action is published
// remove ONE_STORE: the jump by two stores, the opcode first
// remove EXCHANGE: the word by a plain store in place of lock cmpxchg
#define CELLS 3
#define SLED 0
#define ISLAND 1
#define STUB 2
#include "parts/fetch.pml"

// SLED: bit 0, the jump; bit 1, a breakpoint of other software in another byte
// of the word; bit 2, half of a jump.
#define JUMP 1
#define BREAKPOINT 2
#define HALF 4
// ISLAND, STUB: 1 once written

bool usesIsland, action;
mtype = { attaching, on, detaching, off };
mtype phase = off;

// `live` is whether the thread is in the patcher's process. On x86-64, loads and
// stores keep their order (Intel SDM vol. 3, 9.2.2), so what is published when
// the jump is fetched is what the stub reads.
inline callFunction(core, live) {
  atomic {
    fetch(core, SLED, sled);
    assert(!(sled & HALF));
    assert(!live || phase != on || (sled & JUMP));   // no hit is lost
    assert(!live || phase != off || !(sled & JUMP)); // no hit is late
    assert(!live || phase != attaching || !(sled & JUMP) || action);
    sled = sled & JUMP
  }
  if
  :: sled && usesIsland -> atomic { fetch(core, ISLAND, code); assert(code == 1); code = 0 }
  :: else
  fi;
  if
  :: sled -> atomic { fetch(core, STUB, code); assert(code == 1); code = 0; sled = 0 }
  :: else
  fi
}

// The patcher's word is local to the step.
inline toggleWord(jump) {
#ifdef ONE_STORE
  storeCode(SLED, (now[SLED] & BREAKPOINT) | HALF);
#endif
#ifdef EXCHANGE
  word = now[SLED];
  storeCode(SLED, (word & BREAKPOINT) | jump);
#else
  do
  :: word = now[SLED];
     if
     :: atomic { now[SLED] == word -> storeCode(SLED, (word & BREAKPOINT) | jump) };
        break
     :: now[SLED] != word
     fi
  od;
#endif
  word = 0
}

inline makeIslands() {
  if
  :: usesIsland ->
     storeCode(ISLAND, 1);
#ifndef ISLAND_SYNC
     synchroniseCores()
#endif
  :: else
  fi
}

proctype Patcher() {
  byte word, turn;
  for (turn : 0 .. 1) {
    phase = attaching;
    if
    :: turn == 0 -> // the first attach makes stubs
       storeCode(STUB, 1);
#ifndef STUB_SYNC
       synchroniseCores();
#endif
#ifdef ISLAND_ORDER
       action = true;
       toggleWord(JUMP);
#endif
       makeIslands()
    :: else
    fi;
#ifdef PUBLISH_ORDER
    toggleWord(JUMP);
    action = true;
#else
    action = true;
    toggleWord(JUMP);
#endif
#ifndef ATTACH_SYNC
    synchroniseCores();
#endif
    phase = on;
    d_step { phase = detaching; action = false };
    toggleWord(0);
#ifndef DETACH_SYNC
    synchroniseCores();
#endif
    phase = off
  }
}

#include "parts/threads.pml"

// Another patcher, which stores to another byte of the word.
proctype Uprobe() {
  atomic { storeCode(SLED, now[SLED] | BREAKPOINT) }
  assert(now[SLED] & BREAKPOINT);
  atomic { storeCode(SLED, now[SLED] & (JUMP | HALF)) }
  assert(!(now[SLED] & BREAKPOINT))
}

init {
  atomic {
    if
    :: usesIsland = true
    :: usesIsland = false
    fi;
    runThreads();
    run Patcher();
    run Uprobe()
  }
}
