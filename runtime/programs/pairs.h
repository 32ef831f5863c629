// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pairs of hits: one hit starts a pair by a key of 64 bits, and a later one
// with the same key, on any thread, ends it (tprt/control_program.h). The pairs
// that have not ended are in a table that all threads share.
//
// A pair is in one of at most four buckets of eight slots, which its key alone
// decides: two of a small level, and two of a large one, which is used once the
// small buckets are full. So no operation reads more than 32 keys, and there is
// nothing to tidy up, however many pairs have come and gone. With two buckets
// to choose from, nearly all slots can be in use ("Balanced Allocations", Azar
// and others, 1994).
//
// A slot is free, busy, or has a pair. A thread that takes a slot makes it busy
// by a compare-and-swap. Nobody waits for a busy slot: all others go on as if
// its pair had not started, or had ended. So a thread that is interrupted
// there, or never continues, blocks no other one. It costs at most its slot.
#ifndef TPRT_PROGRAMS_PAIRS_H
#define TPRT_PROGRAMS_PAIRS_H

#include <stddef.h>
#include <stdint.h>

namespace tprt {

// Of a row of pairs: those that have ended, of all that have started. All
// threads write it.
struct EndedPairs {
  uint64_t count, sum, unknown;
};

struct OpenPair {
  uint64_t start; // In ticks.
  uint64_t value; // What it adds to its row.
  // Its row, if the group counts open pairs. The lowest bit: the value is not
  // known.
  uintptr_t row;

  void setRow(EndedPairs &of, bool isValueKnown) {
    row = reinterpret_cast<uintptr_t>(&of) | uintptr_t{!isValueKnown};
  }
};

constexpr uint32_t kSlots = 8;
template <uint32_t Buckets> struct PairLevel {
  static constexpr uint32_t kBuckets = Buckets;
  alignas(64) uint64_t keys[Buckets][kSlots];
  OpenPair pairs[Buckets][kSlots];
};

// 65 MiB of address space, of which the small level is 1 MiB.
struct PairTable {
  PairLevel<uint32_t{1} << 12> small;
  PairLevel<uint32_t{1} << 18> large;
  bool usesLarge;
};

// --- in hits -----------------------------------------------------------------

struct StartedPair {
  bool isPlaced;     // Otherwise the table is full.
  uint32_t replaced; // Pairs of the same key that were open.
};
// Starts a pair. If it is not placed, or replaced by a pair that another thread
// starts at the same time, it has ended.
StartedPair startPair(PairTable &table, uint64_t key, const OpenPair &pair);
// Ends the pair of this key, and stores it. False: there is none.
bool endPair(PairTable &table, uint64_t key, OpenPair &pair);

// --- not in hits -------------------------------------------------------------

// nullptr: no memory.
PairTable *makePairTable();
void freePairTable(PairTable *table);

} // namespace tprt

#endif
