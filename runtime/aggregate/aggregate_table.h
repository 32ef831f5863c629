// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tables of rows. hit_program.cpp writes them in
// hits, aggregations.cpp makes and frees them, read_rows.cpp reads them.
//
// Each thread's block has a table for each group. Only the block's thread
// writes to the table, with plain stores. A thread that takes over the block
// continues the table, because rows are not of threads, unless the thread is a
// key. A row never changes its keys, and is never removed.
//
// A table is freed when its group's probes are detached: then no thread is in
// the group's handler, nor will be. What a new thread does before its first hit
// of the group refers to no table: it only sets kStale in the table's address.
#ifndef TPRT_AGGREGATE_AGGREGATE_TABLE_H
#define TPRT_AGGREGATE_AGGREGATE_TABLE_H

#include "aggregate/aggregations.h"
#include "aggregate/hit_program.h"
#include "aggregate/read_rows.h"
#include "probes/probe_links.h"
#include "programs/hit_limit.h"
#include "programs/hit_values.h"
#include "programs/open_calls.h"
#include "programs/pairs.h"
#include "programs/seen_ends.h"
#include "threads/component.h"
#include "timing/pieces.h"
#include "timing/shadow_stack.h"
#include "timing/thread_sums.h"

namespace tprt {

// --- the component -----------------------------------------------------------

// What each thread's block holds: the addresses of the tables, by the group's
// slot. The low bit is kStale if the table is of a thread that had the block
// before.
struct ThreadAggregates {
  uintptr_t of[kMostAggregations];
};

inline constexpr Component aggregatesComponent{
    .stateAt = scopesComponent.stateAt + scopesComponent.stateBytes,
    .stateBytes = sizeof(ThreadAggregates),
    .beginThread = beginThreadAggregates};

// --- tables ------------------------------------------------------------------

// Two cache lines. A hit of a group without histograms writes to the first.
struct alignas(64) KeyedRow {
  // Written last, so a reader that has seen a number of hits sees what these
  // hits have added, and perhaps more.
  uint64_t hits;
  int64_t sum, least, greatest;
  uint64_t unknown, negative;
  uint32_t hash;
  uint32_t keysAt, keyWords; // In the table's `keys`.
  uint32_t unplaced;
  union {
    uint32_t pieces[kPieces];
    EndedPairs ended; // Of a group of open pairs, which has no histograms.
  };
};
static_assert(sizeof(KeyedRow) == 128);

struct AggregateLink;

// A call under way whose end runs a program.
struct OpenAggregatedCall {
  uint64_t stack;  // See ShadowStack.
  uint64_t inside; // The ticks of calls inside it.
  const AggregateLink *link;
  KeptEntry kept;
};

struct AggregateTable {
  // Row 0 is for hits that find no room for their keys.
  static constexpr uint32_t kMostRows = 16384;
  static constexpr uint32_t kIndex = 2 * kMostRows;
  // Words. A stack of 8 frames has 9. Address space, until it is used.
  static constexpr uint32_t kMostKeys = kMostRows * 16;

  // The group's next table. Written before this one is published.
  AggregateTable *next;
  Aggregation *group;
  uint64_t unread, lost, left; // See AggregateTotals.
  PairTotals pairs;
  PieceRun run;
  uint32_t rowsUsed, keysUsed;
  // The keys of the hit under way.
  uint64_t scratch[kKeyRoom];
  ShadowStack<OpenAggregatedCall> open;
  // Rows by the hash of their keys, with linear probing; 0 is none.
  uint32_t index[kIndex];
  KeyedRow rows[kMostRows];
  // The hits of each row that the reader has got so far. Only the reader uses
  // this.
  uint64_t told[kMostRows];
  // Of each row, if programs have TPRT_PROGRAM_SELF: the sum of the hits' own
  // times, in nanoseconds.
  uint64_t self[kMostRows];
  uint64_t keys[kMostKeys];
  // others[i] belongs to the call open.calls[i], and is set only if the call's
  // program uses it.
  OtherArguments others[kMostOpen + 2];

  OtherArguments &othersOf(const OpenAggregatedCall &call) {
    return others[&call - open.calls];
  }
};

// One selector of a group: what the handler gets as its data. The program
// follows the structure.
struct AggregateLink : ProbeLink {
  Aggregation *group;
  size_t bytes; // The size of the structure with its program.
  unsigned slot;
  // The attach has ended, so it is known which exits were refused. Until then
  // no call of a function without sleds is counted at its end.
  bool attached;

  const Program &program() const {
    return *reinterpret_cast<const Program *>(this + 1);
  }
  Program &program() { return *reinterpret_cast<Program *>(this + 1); }
};
static_assert(sizeof(AggregateLink) % alignof(Program) == 0);

struct Aggregation {
  unsigned slot;
  ProbeLink *links; // Each is an AggregateLink.
  // Whether its programs have TPRT_PROGRAM_FLOAT_VALUE. Valid if there are
  // links. In rows `sum` is then the bits of a double, and `least` and
  // `greatest` are orderOf() doubles.
  bool hasFloats;
  // Whether its programs have TPRT_PROGRAM_SELF. Valid if there are links.
  bool hasSelf;
  // Whether its programs have TPRT_PROGRAM_OPEN_PAIRS, valid if there are
  // links, and the open pairs. nullptr: no program is of pairs.
  bool hasOpenPairs;
  PairTable *pairs;
  bool usesStacks; // beginStacks() was called for the group.
  // All tables, linked by `next`. New ones are added at the head.
  AggregateTable *tables;
  PiecePool pool;
  // Reserved if a program runs at the end of calls.
  SeenEnds ends;
  // Hits of threads that got no table.
  uint64_t lost;
  HitLimit limit;
};

} // namespace tprt

#endif
