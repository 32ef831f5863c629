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
// doubles, or none of them is, and all have TPRT_PROGRAM_SELF, or none has.
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

} // namespace tprt

#endif
