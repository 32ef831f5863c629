/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Measures the cost of a hit of a point. The time of the same program with the
 * point off is subtracted. Measures an empty handler that promises to use
 * only general registers, a counting probe, and a record of two integers
 * and the time. The read of the counter in that record is also measured
 * separately. The results are medians over rounds. Prints "name value"
 * lines.
 */
#include "points/hit.h"
#include "clock.h"

#include <stdio.h>

void hit_handler(const tprt_event *event, const tprt_regs *regs, void *data);

/* ns per call of the function while the point is on. Ends the program if
 * the point cannot be turned on, or if a call was not a hit. */
static double with_probe(tprt_action action) {
  tprt_selector selector = {.function = "two_integers", .kinds = TPRT_KIND_SET_POINT};
  tprt_probe *probe = 0;
  tprt_status status = tprt_probe_attach(&selector, &action, &probe, 0);
  if (status != TPRT_STATUS_OK) {
    fprintf(stderr, "attach: %s: %s\n", tprt_status_string(status), tprt_error_string());
    exit(1);
  }
  uint64_t before = block_records;
  double ns = hit_loop(hit_target);
  if ((action.kind == TPRT_ACTION_COUNT && tprt_probe_count(probe) != HIT_CALLS) ||
      (action.data == &block_sink && block_records - before != HIT_CALLS)) {
    fprintf(stderr, "not every call was a hit\n");
    exit(1);
  }
  tprt_probe_detach(probe, -1);
  return ns;
}

int main(void) {
  static double empty[HIT_ROUNDS], counted[HIT_ROUNDS], total[HIT_ROUNDS], recorded[HIT_ROUNDS],
      read[HIT_ROUNDS];
  tprt_action call = {.flags = TPRT_HANDLER_GENERAL_REGS_ONLY, .handler = hit_handler};
  tprt_action record = {
      .flags = TPRT_HANDLER_GENERAL_REGS_ONLY, .handler = tprt_point_record, .data = &block_sink};
  tprt_action count = {.kind = TPRT_ACTION_COUNT};
  hit_loop(hit_target);
  for (int i = 0; i < HIT_ROUNDS; ++i) {
    double off = hit_loop(hit_target);
    empty[i] = with_probe(call) - off;
    counted[i] = with_probe(count) - off;
    read[i] = hit_loop(counter_read) - off;
    total[i] = with_probe(record) - off;
    recorded[i] = total[i] - read[i];
  }
  printf("point_call_ns %.3f\n", tp_bench_median(empty, HIT_ROUNDS));
  printf("point_count_ns %.3f\n", tp_bench_median(counted, HIT_ROUNDS));
  printf("point_record_ns %.3f\n", tp_bench_median(recorded, HIT_ROUNDS));
  printf("point_record_total_ns %.3f\n", tp_bench_median(total, HIT_ROUNDS));
  printf("counter_read_ns %.3f\n", tp_bench_median(read, HIT_ROUNDS));
  return 0;
}
