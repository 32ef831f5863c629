// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who executes the code that a patcher changes: two threads, a signal handler
// that interrupts the first of them between any two instructions, and the child
// of a fork. A model defines callFunction(core, live) before it includes this
// file; `live` is whether the thread is in the patcher's process.

proctype Thread(byte core) provided(!interrupted[core]) {
  byte sled, code, more;
  do
  :: callFunction(core, true)
  od
}

proctype Signal(byte core) {
  byte sled, code, more;
  interrupted[core] = true;
  callFunction(core, true);
  interrupted[core] = false
}

// Nothing changes the child's memory, so its steps need no interleaving.
proctype Fork() {
  byte sled, code, more;
  atomic {
    copyCode();
    callFunction(CHILD, false);
    forgetChild()
  }
}

inline runThreads() {
  beginCode();
  run Thread(0);
  run Thread(1);
  run Signal(0);
  run Fork()
}
