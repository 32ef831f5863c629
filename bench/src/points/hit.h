/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What is measured of hits of points: functions with a trace statement, the
 * same with a bare read of the processor's counter, and a sink for records.
 */
#ifndef TP_BENCH_POINTS_HIT_H
#define TP_BENCH_POINTS_HIT_H

#include "hit_target.h"
#include "tprt/point.h"

/* Returns value * 3 + 1, as hit_target() does, after a read of the counter. */
uint64_t counter_read(uint64_t value);

/* Traces "id=%u path=%s". */
void print_target(unsigned id, const char *path);

/* Takes records into a block of memory, over and over. */
extern tprt_point_sink block_sink;
/* The records that it took. */
extern uint64_t block_records;

#endif
