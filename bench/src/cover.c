/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Attaches to every function of a library for the first time. Prints the share
 * of its entries and returns that get a jump, and how long the attach took.
 * With a further argument, attaches only to entries and prints only the
 * times. Prints nothing if there is no such library.
 */
#include "clock.h"
#include "tprt/tprt.h"

#include <dlfcn.h>
#include <stdio.h>

static double sites[3], on[3]; /* by kind */

static int visit(const tprt_site *site, void *data) {
  tprt_site_info info;
  (void)data;
  tprt_site_describe(site, &info);
  if (info.kind < 3) {
    ++sites[info.kind];
    on[info.kind] += info.state == TPRT_SITE_STATE_ON;
  }
  return 0;
}

int main(int argc, char **argv) {
  char module[256];
  if (argc < 2 || !dlopen(argv[1], RTLD_NOW))
    return 0;
  const int entries = argc > 2;
  snprintf(module, sizeof module, "*/%s*", argv[1]);
  tprt_selector selector = {.function = "*", .module = module, .kinds = entries ? TPRT_KIND_SET_ENTRY : TPRT_KIND_SET_ALL,
                            .flags = TPRT_SELECT_CODE | TPRT_SELECT_LOADED};
  tprt_action action = {.kind = TPRT_ACTION_COUNT};
  tprt_probe *probe = 0;
  double start = tp_bench_wall();
  tprt_status status = tprt_probe_attach(&selector, &action, &probe, 0);
  double seconds = tp_bench_wall() - start;
  if (status != TPRT_STATUS_OK && status != TPRT_STATUS_PARTIAL) {
    fprintf(stderr, "attach: %s\n", tprt_error_string());
    return 1;
  }
  tprt_site_visit(&selector, visit, 0);
  if (!entries) {
    printf("entry_coverage %.4f\n", on[TPRT_KIND_ENTRY] / sites[TPRT_KIND_ENTRY]);
    printf("return_coverage %.4f\n", on[TPRT_KIND_EXIT] / sites[TPRT_KIND_EXIT]);
  }
  printf("attach_ms %.3f\n", seconds * 1e3);
  printf("attach_us_per_function %.3f\n", seconds * 1e6 / sites[TPRT_KIND_ENTRY]);
  return 0;
}
