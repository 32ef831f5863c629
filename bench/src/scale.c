/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Attaches to all sites of scale.S, detaches, and attaches again, and prints
 * nanoseconds per site. With "names", looks up a first name instead, which
 * reads all names of the file, and prints nanoseconds per name.
 */
#include "clock.h"

#include <stdio.h>
#include <string.h>
#include <tprt/tprt.h>

#define REPEATS 9

void hit_handler(const tprt_event *event, const tprt_regs *regs, void *data);

static const tprt_site *first_site;
static size_t sites;

static int see(const tprt_site *site, void *unused) {
  (void)unused;
  first_site = first_site ? first_site : site;
  ++sites;
  return 0;
}

static int names(void) {
  tprt_site_info info = {0};
  if (tprt_site_visit(0, see, 0) != TPRT_STATUS_OK)
    return 1;
  double start = tp_bench_wall();
  tprt_site_describe(first_site, &info);
  double taken = tp_bench_wall() - start;
  if (!info.name || strncmp(info.name, "function_of_scale_", 18))
    return 1;
  printf("name %.4f\n", taken * 1e9 / ((double)sites / 2));
  return 0;
}

int main(int count, char **arguments) {
  if (count > 1 && strcmp(arguments[1], "names") == 0)
    return names();
  tprt_selector selector = {.kinds = TPRT_KIND_SET_ALL};
  tprt_action action = {.flags = TPRT_HANDLER_GENERAL_REGS_ONLY, .handler = hit_handler};
  tprt_probe *probe = 0;
  tprt_result result;
  double start = tp_bench_wall();
  tprt_status status = tprt_probe_attach(&selector, &action, &probe, &result);
  double first = tp_bench_wall() - start;
  double both[REPEATS];
  for (int i = 0; i < REPEATS && status == TPRT_STATUS_OK; ++i) {
    start = tp_bench_wall();
    tprt_probe_detach(probe, -1);
    status = tprt_probe_attach(&selector, &action, &probe, &result);
    both[i] = tp_bench_wall() - start;
  }
  if (status != TPRT_STATUS_OK) {
    fprintf(stderr, "attach: %s: %s\n", tprt_status_string(status), tprt_error_string());
    return 1;
  }
  printf("sites %zu\nfirst %.4f\nflip %.4f\n", result.enabled, first * 1e9 / (double)result.enabled,
         tp_bench_median(both, REPEATS) * 1e9 / 2 / (double)result.enabled);
  return 0;
}
