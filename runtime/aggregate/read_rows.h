// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the rows of a group (aggregations.h) while threads continue. None of
// these functions may be called in a handler.
#ifndef TPRT_AGGREGATE_READ_ROWS_H
#define TPRT_AGGREGATE_READ_ROWS_H

#include "programs/program.h"

#include <stddef.h>
#include <stdint.h>

namespace tprt {

struct Aggregation;

// The most bytes of a row's keys.
constexpr size_t kMostKeyBytes =
    TPRT_PROGRAM_MOST_KEYS * (3 + TPRT_PROGRAM_MOST_STRING) +
    TPRT_PROGRAM_MOST_FRAMES * sizeof(uint64_t);

struct AggregateRow {
  uint32_t table, number; // The same in each visit.
  uint64_t hits; // That are in the row. Of open pairs: that have not ended.
  // These cover the hits with a known value. `least` and `greatest` are 0 if
  // there is none. Of programs with TPRT_PROGRAM_FLOAT_VALUE: the bits of
  // doubles.
  int64_t sum, least, greatest;
  uint64_t unknown;  // Hits whose value is not known.
  uint64_t negative; // Hits whose value is below 0: they are in no bucket.
  uint64_t unplaced; // Hits in no bucket, as the bound was reached.
  uint64_t self;     // Nanoseconds, if hasSelf. See TPRT_PROGRAM_SELF.
  bool hasSelf;
  bool isOthers; // The row for all hits that found no room for their keys.
  // Valid during the visit. Buckets as in TimedRow.
  const char *keys;
  uint32_t keyBytes;
  const uint64_t *buckets;
  uint32_t bucketCount;
};

// Hits of programs of pairs. See tprt_control_pairs.
struct PairTotals {
  uint64_t started, ended, unpaired, replaced, full;
};

// What concerns no single row.
struct AggregateTotals {
  uint64_t unread; // Hits whose condition is not known.
  uint64_t lost;   // Hits that are in no row: no memory, or too deep.
  uint64_t left;   // Calls that were left without an exit.
  PairTotals pairs;
};
AggregateTotals totalsOf(const Aggregation *group);
// Whether the last hit is in its row, and none will follow (STOP_IF).
// Since when is stored in *ticks, as readTicks() tells.
bool hasStopped(const Aggregation *group, uint64_t *ticks);
// The hits in all rows.
uint64_t hitsOf(const Aggregation *group);

// Where a visit continues. {} is the beginning.
struct AggregatePlace {
  uint32_t table, row;
};
// Calls visit(row, data) for each thread's rows. With `changed`, only for rows
// that have changed since the last visit with `changed`, of which there is one
// reader. If `visit` returns false, the visit stops and *place is that row's.
// Returns whether all rows were told. Takes 8 kB of stack.
bool visitAggregated(Aggregation *group, AggregatePlace *place, bool changed,
                     bool (*visit)(const AggregateRow &row, void *data),
                     void *data);

} // namespace tprt

#endif
