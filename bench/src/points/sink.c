/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A sink like a tracer's ring: a thread-local pointer advances through a
 * block, and restarts at the beginning after the block's end. Compiled to
 * use only general registers.
 */
#include "points/hit.h"

enum { BLOCK = 65536 };
static __thread _Alignas(64) char block[BLOCK] __attribute__((tls_model("initial-exec")));
static __thread size_t used __attribute__((tls_model("initial-exec")));

uint64_t block_records;

static void *reserve(tprt_point_sink *sink, size_t bytes) {
  (void)sink;
  if (used + bytes > BLOCK)
    used = 0;
  void *at = block + used;
  used += bytes;
  return at;
}

static void commit(tprt_point_sink *sink, tprt_recorded_hit *hit) {
  (void)sink, (void)hit;
  ++block_records;
}

tprt_point_sink block_sink = {.reserve = reserve, .commit = commit};
