/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Measures the cost of a profiler's call in a function: executed, skipped
 * (TPRT_ACTION_SKIP), and replaced by a hit. The time of the same function
 * without the call is subtracted from each figure. For mcount (-pg) that
 * function has a frame pointer; for __fentry__ (-pg -mfentry) it is a plain
 * function. The profilers here do nothing. The results are medians over the
 * rounds of the differences within a round. Prints "name value" lines.
 */
#include "clock.h"
#include "hit_target.h"
#include "tprt/tprt.h"

#include <stdio.h>

__asm__(".globl mcount, __fentry__\n.type mcount, @function\n"
        ".type __fentry__, @function\n.p2align 6\nmcount: __fentry__: ret\n"
        ".size mcount, . - mcount\n.size __fentry__, . - __fentry__\n");

uint64_t mcount_target(uint64_t value);
uint64_t mcount_plain(uint64_t value);
uint64_t fentry_target(uint64_t value);
uint64_t fentry_plain(uint64_t value);
void hit_handler(const tprt_event *event, const tprt_regs *regs, void *data);

static int failed;

static tprt_probe *attach(uint64_t (*function)(uint64_t), tprt_action action) {
  tprt_selector selector = {.address = (const void *)function, .flags = TPRT_SELECT_PROFILERS};
  tprt_probe *probe = 0;
  tprt_status status = tprt_probe_attach(&selector, &action, &probe, 0);
  if (status == TPRT_STATUS_OK)
    return probe;
  fprintf(stderr, "attach: %s: %s\n", tprt_status_string(status), tprt_error_string());
  failed = 1;
  return 0;
}

static void measure(const char *name, uint64_t (*function)(uint64_t), uint64_t (*plain)(uint64_t)) {
  static double call[HIT_ROUNDS], off[HIT_ROUNDS], hit[HIT_ROUNDS];
  const tprt_action skip = {.kind = TPRT_ACTION_SKIP};
  const tprt_action empty = {.handler = hit_handler, .flags = TPRT_HANDLER_GENERAL_REGS_ONLY};
  for (int i = 0; i < HIT_ROUNDS && !failed; ++i) {
    double without = hit_loop(plain);
    call[i] = hit_loop(function) - without;
    tprt_probe *skipped = attach(function, skip);
    off[i] = hit_loop(function) - without;
    tprt_probe *on = failed ? 0 : attach(function, empty);
    hit[i] = hit_loop(function) - without;
    if (failed)
      return;
    tprt_probe_detach(on, -1);
    tprt_probe_detach(skipped, -1);
  }
  printf("%s_call_ns %.3f\n", name, tp_bench_median(call, HIT_ROUNDS));
  printf("%s_off_ns %.3f\n", name, tp_bench_median(off, HIT_ROUNDS));
  printf("%s_hit_empty_ns %.3f\n", name, tp_bench_median(hit, HIT_ROUNDS));
}

int main(void) {
  hit_loop(mcount_plain);
  measure("mcount", mcount_target, mcount_plain);
  measure("fentry", fentry_target, fentry_plain);
  return failed;
}
