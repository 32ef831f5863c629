/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Measures the cost of one hit. With HIT_PAIR, measures entry and exit together.
 * With HIT_CODE, measures hits in a function without a sled. Each round measures,
 * one after the other:
 *  - the program with the sled off;
 *  - an empty handler that promises to use general registers only;
 *  - the same handler without that promise;
 *  - a counting probe;
 *  - a hand-written counter.
 * The results are medians over the rounds of the differences within a round.
 * Prints "name value" lines.
 */
#include "clock.h"
#include "hit_target.h"
#include "tprt/tprt.h"

#include <stdio.h>

#ifdef HIT_PAIR
#define HIT "pair"
enum { SLEDS = 2 };
#else
#define HIT "hit"
enum { SLEDS = 1 };
#endif

#ifdef HIT_CODE
enum { FLAGS = TPRT_SELECT_CODE, KINDS = SLEDS == 2 ? TPRT_KIND_SET_ALL : TPRT_KIND_SET_ENTRY };
#else
enum { FLAGS = 0, KINDS = TPRT_KIND_SET_ALL };
#endif

void hit_handler(const tprt_event *event, const tprt_regs *regs, void *data);

static double with_probe(tprt_action action, int *failed) {
  tprt_selector selector = {.function = "hit_target", .kinds = KINDS, .flags = FLAGS};
  tprt_probe *probe = 0;
  tprt_status status = tprt_probe_attach(&selector, &action, &probe, 0);
  if (status != TPRT_STATUS_OK) {
    fprintf(stderr, "attach: %s: %s\n", tprt_status_string(status), tprt_error_string());
    *failed = 1;
    return 0;
  }
  double ns = hit_loop(hit_target);
  if (action.kind == TPRT_ACTION_COUNT && tprt_probe_count(probe) != SLEDS * HIT_CALLS) {
    fprintf(stderr, "counted %llu of %d calls\n", (unsigned long long)tprt_probe_count(probe),
            SLEDS * HIT_CALLS);
    *failed = 1;
  }
  tprt_probe_detach(probe, -1);
  return ns;
}

int main(void) {
  static double off[HIT_ROUNDS], empty[HIT_ROUNDS], vector[HIT_ROUNDS], counter[HIT_ROUNDS],
      counted[HIT_ROUNDS], raw[HIT_ROUNDS];
  tprt_action call = {.kind = TPRT_ACTION_CALL, .handler = hit_handler};
  tprt_action fast = call;
  fast.flags = TPRT_HANDLER_GENERAL_REGS_ONLY;
  tprt_action count = {.kind = TPRT_ACTION_COUNT};
  int failed = 0;
  hit_loop(hit_target);
  for (int i = 0; i < HIT_ROUNDS && !failed; ++i) {
    off[i] = hit_loop(hit_target);
    empty[i] = with_probe(fast, &failed) - off[i];
    vector[i] = with_probe(call, &failed) - off[i];
    counted[i] = hit_loop(hit_counted) - off[i];
    raw[i] = with_probe(count, &failed) - off[i];
    counter[i] = raw[i] - SLEDS * counted[i];
  }
  if (failed)
    return 1;
  printf(HIT "_off_loop_ns %.3f\n", tp_bench_median(off, HIT_ROUNDS));
  printf(HIT "_empty_ns %.3f\n", tp_bench_median(empty, HIT_ROUNDS));
  printf(HIT "_vector_ns %.3f\n", tp_bench_median(vector, HIT_ROUNDS));
  printf(HIT "_counter_ns %.3f\n", tp_bench_median(counter, HIT_ROUNDS));
  printf(HIT "_counter_total_ns %.3f\n", tp_bench_median(raw, HIT_ROUNDS));
  printf(HIT "_counter_by_hand_ns %.3f\n", tp_bench_median(counted, HIT_ROUNDS));
  return 0;
}
