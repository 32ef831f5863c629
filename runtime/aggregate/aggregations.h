// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds up hits by keys that a tool's programs compute (tprt/control_program.h),
// as the aggregations of DTrace do. A group of programs has one table of rows
// in each thread. Groups come and go; several can be on at once, also on the
// same functions.
//
// Calls for one group come from one thread at a time; different groups are
// independent. None of these functions may be called in a handler.
#ifndef TPRT_AGGREGATE_AGGREGATIONS_H
#define TPRT_AGGREGATE_AGGREGATIONS_H

#include "programs/program.h"
#include "tprt/tprt.h"

#include <stddef.h>

namespace tprt {

struct Aggregation;

// The most groups at a time.
constexpr unsigned kMostAggregations = 8;

// Makes a group without probes, and stores it in `place` under the lock. False:
// no memory, or kMostAggregations groups exist.
bool makeAggregation(Aggregation *&place);

// Runs a copy of the program at the points or the instructions that `selector`
// finds, if its `kinds` are one of these alone. Otherwise it finds functions:
// the program runs at the entries, or at the end of each call if it says so.
// Status and result are those of tprt_probe_attach(). PARTIAL also means that
// the program runs at the end of calls, and functions have an entry and no
// exit: their calls are not counted. All programs of a group have the same
// kinds of keys, and agreesWith() and hasPairsOf() are true. No two selectors
// of a group may find the same function: else its hits at entries are counted
// for each, and its ends of calls for one of them.
tprt_status addAggregated(Aggregation *group, const tprt_selector *selector,
                          const Program &program, tprt_result &result);

// Whether the values of the program and of the group's other programs are
// doubles, or none of them is.
bool agreesWith(const Aggregation *group, const Program &program);

// Whether the program and the group's other programs are of pairs, and count
// the same of them, or none of them is.
bool hasPairsOf(const Aggregation *group, const Program &program);

// Takes the group off the functions' sites that `leaves` chooses. Their rows
// stay. Adds the number of sites to *count. Any status but OK: repeat the call.
tprt_status dropAggregated(Aggregation *group,
                           bool (*leaves)(const tprt_site &site, void *data),
                           void *data, size_t *count);

// Detaches all selectors, with the statuses of tprt_probe_detach(). OK: the
// group and all of its memory are gone, and `place` is nullptr. Any other
// status: repeat the call; the group can still be read. A child of fork() may
// call this for a group that the parent was attaching to, or ending, meanwhile.
tprt_status endAggregation(Aggregation *&place, int timeoutMs);

// How many sites the group is on at, exits included.
size_t sitesOfAggregation(const Aggregation *group);

// --- reading: while threads continue -----------------------------------------

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
  bool isOthers;     // The row for all hits that found no room for their keys.
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
