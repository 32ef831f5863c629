/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The functions for measuring hits of points: some with a trace statement, one
 * that only reads the processor's counter, and a sink for records.
 */
#ifndef TP_BENCH_POINTS_HIT_H
#define TP_BENCH_POINTS_HIT_H

#include "hit_target.h"
#include "tprt/point.h"

/* Returns value * 3 + 1, as hit_target() does, after a read of the counter. */
uint64_t counter_read(uint64_t value);

/* Traces "id=%u path=%s". */
void print_target(unsigned id, const char *path);

/* Stores records in a block of memory, and starts again at its beginning
 * when the block is full. */
extern tprt_point_sink block_sink;
/* The number of records that the sink has stored. */
extern uint64_t block_records;

#endif
