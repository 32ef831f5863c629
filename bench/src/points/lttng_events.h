/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * LTTng-UST's tracepoint of two integers, for lttng.c.
 */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER tp_bench

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "points/lttng_events.h"

#if !defined(TP_BENCH_LTTNG_EVENTS_H) ||                                       \
    defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define TP_BENCH_LTTNG_EVENTS_H

#include <lttng/tracepoint.h>

LTTNG_UST_TRACEPOINT_EVENT(
    tp_bench, two_integers,
    LTTNG_UST_TP_ARGS(unsigned long long, value, int, kind),
    LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(unsigned long long, value,
                                                value)
                            lttng_ust_field_integer(int, kind, kind)))

#endif

#include <lttng/tracepoint-event.h>
