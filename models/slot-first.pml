// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// x86-64: the slot first (safety.md, "Unreachable", "Either jump is right"). A
// 2-byte sled becomes a short jump to its slot, a jump of five bytes to one of
// the site's stubs. Steps: Batch::prepare(), fillSlot(), planInUse().
//
// remove SLOT_SYNC: Batch::flip() without the SYNC between the passes
// remove SLOT_ORDER: the sled is flipped before its slot is filled
// remove FAILED_SYNC: the sled is flipped although that SYNC failed
// remove ATTACH_SYNC: an attach's Batch::close() without SYNC
// remove DETACH_SYNC: a detach's
// remove IN_USE: a slot across two words is rewritten while it is in use
// remove ONE_WORD: a slot in one word is rewritten by two stores
#define CELLS 3
#define SLED 0
#define LOW 1 // the slot's bytes in its first word
#define HIGH 2 // the slot's other bytes
#include "parts/fetch.pml"

#define JUMP 1 // SLED
// LOW, HIGH: 0 before the first use, else the stub that the jump leads to.
#define GENERAL 1
#define COUNTING 2

bool isInOneWord, hasFailed;
mtype = { attaching, on, detaching, off };
mtype phase = off;

inline callFunction(core, live) {
  atomic {
    fetch(core, SLED, sled);
    assert(!live || phase != on || sled == JUMP);
    assert(!live || phase != off || sled != JUMP)
  }
  if
  :: sled == JUMP ->
     atomic { // one instruction, fetched from one word or from two
       fetch(core, LOW, code);
       assert(code < 3);
       if
       :: isInOneWord -> more = code
       :: else -> fetch(core, HIGH, more)
       fi;
       assert(code == more && code != 0);
       code = 0; more = 0; sled = 0
     }
  :: else
  fi
}
#include "parts/threads.pml"

// In one word, LOW has all five bytes; 3 is one jump's half before another's.
inline fillSlot(stub) {
  if
  :: isInOneWord -> storeCode(LOW, 3); storeCode(LOW, stub)
  :: else ->
     if // in any order
     :: storeCode(LOW, stub); storeCode(HIGH, stub)
     :: storeCode(HIGH, stub); storeCode(LOW, stub)
     fi
  fi
}

inline exchange(stub) {
#ifdef ONE_WORD
  storeCode(LOW, 3);
#endif
  storeCode(LOW, stub)
}

inline prepare() {
  if
  :: now[LOW] == 0 -> fillSlot(wanted)
  :: now[LOW] != 0 && now[LOW] != wanted ->
     if
     :: isInOneWord -> exchange(wanted)
     :: !isInOneWord -> // the other stub is also right
#ifdef IN_USE
        fillSlot(wanted)
#else
        skip
#endif
     fi
  :: else
  fi
}

inline mayFail() {
  if
  :: !hasFailed -> hasFailed = true; isSynchronised = false
  :: synchroniseCores(); isSynchronised = true
  fi
}

proctype Patcher() {
  byte turn, wanted;
  bool isSynchronised;
  for (turn : 0 .. 3) {
    phase = attaching;
    wanted = (turn & 1 -> COUNTING : GENERAL);
    if
    :: !isSynchronised -> synchroniseCores() // synchroniseIfNeeded()
    :: else
    fi;
#ifdef SLOT_ORDER
    storeCode(SLED, JUMP);
#endif
    prepare();
#ifdef SLOT_SYNC
    isSynchronised = true;
#else
    mayFail();
#endif
#ifdef FAILED_SYNC
    isSynchronised = true;
#endif
    if
    :: isSynchronised ->
       storeCode(SLED, JUMP);
#ifndef ATTACH_SYNC
       synchroniseCores();
#endif
       phase = on;
       phase = detaching;
       storeCode(SLED, 0);
#ifndef DETACH_SYNC
       synchroniseCores();
#endif
       phase = off
    :: else -> phase = off
    fi
  }
}

init {
  atomic {
    if
    :: isInOneWord = true
    :: isInOneWord = false
    fi;
    runThreads();
    run Patcher()
  }
}
