// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instruction fetch while another core stores to the code. A cell is what one
// fetch reads as a whole: on x86-64 an aligned quadword (AMD APM vol. 2,
// 7.6.1) or, where a model relies on less, one byte; on AArch64 one
// instruction (Arm ARM B2.2.5). A core may fetch each value that a cell has had
// since the core was last serialised, in any order and again and again. This is
// more than the processors do: they never go back from a new value to an older
// one.
//
// An instruction in two cells is fetched by one atomic block of two fetches.
// Each cell's value is chosen on its own.
//
// A model defines CELLS before it includes this file. A cell has a value from 0
// to 7.
#define THREADS 2
#define CHILD 2 // the core of the child of a fork

byte now[CELLS];
byte may[3 * CELLS]; // bit n: the core may still fetch value n
bool interrupted[THREADS];
byte cell_;

#define MAY(core, cell) may[(core) * CELLS + (cell)]

// The child has its own memory, so its core does not see the store.
inline storeCode(cell, value) {
  d_step {
    now[cell] = value;
    MAY(0, cell) = MAY(0, cell) | (1 << (value));
    MAY(1, cell) = MAY(1, cell) | (1 << (value))
  }
}

inline choose(set, value) {
  if
  :: ((set) & 1) -> value = 0
  :: ((set) & 2) -> value = 1
  :: ((set) & 4) -> value = 2
  :: ((set) & 8) -> value = 3
  :: ((set) & 16) -> value = 4
  :: ((set) & 32) -> value = 5
  :: ((set) & 64) -> value = 6
  :: ((set) & 128) -> value = 7
  fi
}

inline fetch(core, cell, value) { choose(MAY(core, cell), value) }

inline serialise(core) {
  d_step {
    for (cell_ : 0 .. CELLS - 1) {
      MAY(core, cell_) = 1 << now[cell_]
    }
    cell_ = 0
  }
}

// The kernel reaches the cores one after the other. Threads execute meanwhile.
inline synchroniseCores() {
  serialise(0);
  serialise(1)
}

// At the start, each core may hold what was at these addresses before.
inline beginCode() {
  d_step {
    serialise(0);
    serialise(1)
  }
}

// fork(2) copies the memory of one moment, as far as one thread's stores are
// concerned: once a page was copied, a store to it waits for the end of the
// copy, and the patcher's later stores with it.
inline copyCode() { serialise(CHILD) }

inline forgetChild() {
  d_step {
    for (cell_ : 0 .. CELLS - 1) {
      MAY(CHILD, cell_) = 0
    }
    cell_ = 0
  }
}
