// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which handlers a detach waits for (safety.md), and when an action list is
// freed. Each thread's stores go through a buffer and become visible in their
// order, at any later time or at SYNC (x86-64; on AArch64 release stores keep
// the order that matters here). Steps: deliver(), miss(), dispatch(),
// keepSection(), endSection(), mayBeInside(), oldestSection(), freeRetired().
//
// remove SYNC: the detach waits without SYNC before
// remove GUARD_ORDER: a hit reads the action list before it raises the guard
// remove NOTE_ORDER: dispatch() asks isOver() before noteHandler()
// remove STATE_ORDER: the probe is marked as over after SYNC
// remove OVER: dispatch() does not ask isOver()
// remove WAIT: the detach does not wait
// remove HELD: a signal handler's hit raises the guard of the hit that it
//   interrupted
// remove KEPT: keepSection() keeps nothing in `left`
// remove LEFT_ORDER: the detach looks at `left` before the guard
// remove KEEP_ORDER: the guard is overwritten before keepSection()
// remove SECTIONS: freeRetired() does not ask the guards
// remove ENDED: the child of a fork does not ask hasEnded()
#define THREADS 2
#define GUARD 0
#define RUNNING 1
#define LEFT 2
#define VARIABLES 3

// GUARD, LEFT: a position on the stack, and whether the dispatcher runs.
#define DISPATCHED 4
// RUNNING: whose handler the dispatcher calls.
#define PROBE 1
#define OTHER 2
// The action list: none, the probe's handler alone, or behind another's.
#define EMPTY 0
#define DIRECT 1
#define SEVERAL 2

byte visible[THREADS * VARIABLES];
byte own[THREADS * VARIABLES]; // as the thread itself sees it
chan buffer[THREADS] = [3] of { byte, byte };
bool interrupted[THREADS], isOver, isFreed, isListFreed, isDetached;
byte list, before;

inline put(core, variable, value) {
  atomic {
    own[(core) * VARIABLES + variable] = value;
    buffer[core] ! variable, value
  }
}

proctype StoreBuffer(byte core) {
  byte variable, value;
end:
  do
  :: atomic {
       buffer[core] ? variable, value ->
       visible[core * VARIABLES + variable] = value;
       variable = 0; value = 0
     }
  od
}

inline drain(core) {
  atomic { // a membarrier's interrupt, or a locked instruction
    do
    :: nempty(buffer[core]) ->
       buffer[core] ? variable_, value_;
       visible[core * VARIABLES + variable_] = value_
    :: empty(buffer[core]) -> break
    od;
    variable_ = 0; value_ = 0
  }
}

inline handler() {
  assert(!isFreed);
  assert(!isFreed)
}

// dispatch(): the other probe's handler, then this probe's.
inline dispatch(core, position) {
  put(core, RUNNING, 0);
  put(core, GUARD, (position | DISPATCHED));
  put(core, RUNNING, OTHER);
  assert(!isListFreed);
#ifdef NOTE_ORDER
  over = isOver;
  put(core, RUNNING, PROBE);
#else
  put(core, RUNNING, PROBE);
#ifndef OVER
  over = isOver;
#endif
#endif
  if
  :: !over -> handler()
  :: else
  fi;
  over = false
}

// A hit that calls handlers: deliver().
inline hit(core, position) {
#ifdef GUARD_ORDER
  actions = list;
  put(core, GUARD, position);
#else
  put(core, GUARD, position);
  actions = list;
#endif
  if
  :: actions == DIRECT -> assert(!isListFreed); handler()
  :: actions == SEVERAL -> dispatch(core, position)
  :: else
  fi;
  actions = 0;
  put(core, GUARD, 0)
}

// A hit under a raised guard calls no handler: miss(). That guard keeps the
// action list.
inline miss(core) {
  actions = list;
  assert(actions == EMPTY || !isListFreed);
  actions = 0
}

// A handler that goes on on another stack: the guard is not in use there, so
// that stack's hit keeps it in `left`. endSection() then finds it there.
inline hitAcrossStacks(core) {
  put(core, GUARD, 1);
  actions = list;
  if
  :: actions == DIRECT ->
     assert(!isFreed);
#ifdef KEEP_ORDER
     put(core, GUARD, 2);
     put(core, LEFT, 1);
#else
#ifndef KEPT
     put(core, LEFT, 1); // keepSection()
#endif
     put(core, GUARD, 2);
#endif
     put(core, GUARD, 0);
     assert(!isFreed);
     assert(!isListFreed);
     actions = 0;
     drain(core); // forgetSection() exchanges
     put(core, LEFT, 0)
  :: else -> actions = 0; put(core, GUARD, 0)
  fi
}

proctype Thread(byte core) provided(!interrupted[core]) {
  byte actions, variable_, value_;
  bool over;
  if
  :: core == 0 || before == SEVERAL -> hit(core, 1)
  :: else -> hitAcrossStacks(core)
  fi
}

proctype Signal(byte core) {
  byte actions, variable_, value_;
  bool over;
  interrupted[core] = true;
#ifdef HELD
  hit(core, 3);
#else
  if
  :: own[core * VARIABLES + GUARD] == 0 -> hit(core, 3)
  :: else -> miss(core)
  fi;
#endif
  interrupted[core] = false
}

// What the detach sees of one thread: mayBeIn() and mayBeInside(). The
// frame at position 2 leads to another probe's site.
inline mayBeInGuard(core) {
  guard = visible[core * VARIABLES + GUARD];
  running = visible[core * VARIABLES + RUNNING];
  if
  :: guard == 0 -> inside = false
  :: guard != 0 && !(guard & DISPATCHED) -> inside = (before == DIRECT && guard != 2)
  :: else -> inside = (running == PROBE) // 0: between two handlers
  fi;
  guard = 0; running = 0
}

inline waitForThread(core) {
  do
  ::
#ifdef LEFT_ORDER
     left = visible[core * VARIABLES + LEFT];
     mayBeInGuard(core);
#else
     mayBeInGuard(core);
     left = visible[core * VARIABLES + LEFT];
#endif
     if
     :: !inside && left == 0 -> break
     :: else -> // until something changes
        visible[core * VARIABLES + GUARD] == 0 || visible[core * VARIABLES + LEFT] != 0 ||
        visible[core * VARIABLES + RUNNING] != PROBE || left
     fi
  od
}

inline oldestSection(core) {
#ifndef SECTIONS
  isOlder = isOlder || visible[core * VARIABLES + GUARD] != 0;
#endif
  isOlder = isOlder || visible[core * VARIABLES + LEFT] != 0
}

proctype Detach() {
  byte guard, running, left, variable_, value_;
  bool inside, isOlder;
  list = EMPTY; // publish()
#ifdef STATE_ORDER
  drain(0); drain(1);
  isOver = true;
#else
  isOver = true; // setState(Ending)
#ifndef SYNC
  drain(0); drain(1);
#endif
#endif
#ifndef WAIT
  waitForThread(0);
  waitForThread(1);
#endif
  isFreed = true; // what the handler uses
  oldestSection(0);
  oldestSection(1);
  if
  :: !isOlder -> isListFreed = true
  :: else // a later detach frees it
  fi;
  isDetached = true
}

// A detach in the child of a fork by thread 0, which was in no handler. The
// other thread's guard stays as it was.
proctype Fork() {
  byte guard;
  atomic {
    own[GUARD] == 0 -> guard = visible[VARIABLES + GUARD]
  }
#ifdef ENDED
  guard == 0;
#endif
  guard = 0
}

init {
  atomic {
    if
    :: list = DIRECT
    :: list = SEVERAL
    fi;
    before = list;
    run StoreBuffer(0);
    run StoreBuffer(1);
    run Thread(0);
    run Thread(1);
    run Signal(0);
    run Detach();
    run Fork()
  }
}
