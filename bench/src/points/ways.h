/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The tracing methods that the benchmarks compare. A program contains
 *
 *   DECLARE(name);
 *   TRACE(name, "a=%d b=%s", a, b);
 *
 * and is compiled once for each method: with WAY_POINT it has points, with
 * WAY_FLAG a load and a branch before fprintf, with WAY_SDT a probe of
 * sys/sdt.h, and otherwise no tracing code.
 */
#ifndef TP_BENCH_POINTS_WAYS_H
#define TP_BENCH_POINTS_WAYS_H

#if defined(WAY_POINT)

#include "tprt/trace.h"

#define DECLARE(name) TPRT_POINT(name)
#define TRACE(name, ...) TPRT_TRACE(name, __VA_ARGS__)

#elif defined(WAY_FLAG)

#include <stdio.h>

/* Defined in main.c, and never set. */
extern int traced;
#define DECLARE(name) extern int traced
#define TRACE(name, ...)                                                       \
  do {                                                                         \
    if (traced)                                                                \
      fprintf(stderr, __VA_ARGS__);                                            \
  } while (0)

#elif defined(WAY_SDT)

#include <sys/sdt.h>

extern int traced;
#define DECLARE(name) extern int traced
/* DTRACE_PROBE1 to DTRACE_PROBE12, by the number of arguments. */
#define TRACE(name, format, ...)                                               \
  TRACE_(name, __VA_ARGS__, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2,                \
         1)(bench, name, __VA_ARGS__)
#define TRACE_(name, a, b, c, d, e, f, g, h, i, j, k, l, count, ...)           \
  TRACE_PASTE(DTRACE_PROBE, count)
#define TRACE_PASTE(a, b) TRACE_PASTE_(a, b)
#define TRACE_PASTE_(a, b) a##b

#else

extern int traced;
#define DECLARE(name) extern int traced
#define TRACE(name, ...) (void)0

#endif

/* Runs the program's work. Returns the number of passes of a trace
 * statement. */
#include <stdint.h>
uint64_t work(void);

#endif
