/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Turns the server's points on and off while the server runs. Only this
 * file calls libtprt. The server's threads call these functions under its
 * lock, so one call at a time. */
#include "points_server.h"
#include "tprt/point.h"

#include <unistd.h>

enum { kMost = 16 };
static tprt_probe *probes[kMost];
static unsigned used;
static tprt_point_output output = TPRT_POINT_OUTPUT(STDERR_FILENO);

static void attach(const char *pattern, const tprt_action *action, FILE *answer) {
  tprt_selector which = {.function = pattern, .kinds = TPRT_KIND_SET_POINT};
  tprt_result result;
  if (used == kMost) {
    fprintf(answer, "ERROR %d probes are on; send OFF first\n", kMost);
    return;
  }
  tprt_status status = tprt_probe_attach(&which, action, &probes[used], &result);
  if (status != TPRT_STATUS_OK && status != TPRT_STATUS_PARTIAL) {
    fprintf(answer, "ERROR %s\n", tprt_error_string());
    return;
  }
  ++used;
  fprintf(answer, "ON %s: %zu statements\n", pattern, result.enabled);
}

void points_print(const char *pattern, FILE *answer) {
  tprt_action print = {.flags = TPRT_HANDLER_GENERAL_REGS_ONLY, .handler = tprt_point_print, .data = &output};
  attach(pattern, &print, answer);
}

void points_count(const char *pattern, FILE *answer) {
  tprt_action count = {.kind = TPRT_ACTION_COUNT};
  attach(pattern, &count, answer);
}

static int add_count(const tprt_site *site, uint64_t count, void *answer) {
  tprt_site_info info;
  if (count && tprt_site_describe(site, &info) == TPRT_STATUS_OK)
    fprintf(answer, " %s:%u=%llu", info.name, info.line, (unsigned long long)count);
  return 0;
}

void points_counts(FILE *answer) {
  fprintf(answer, "COUNTS");
  for (unsigned i = 0; i < used; ++i)
    tprt_probe_visit_counts(probes[i], add_count, answer);
  fprintf(answer, "\n");
}

/* The server's lock is held here. The actions use no lock, so a wait for running
 * actions cannot cause a deadlock. */
void points_off(FILE *answer) {
  unsigned were_on = used;
  while (used)
    tprt_probe_detach(probes[--used], -1);
  fprintf(answer, "OFF %u probes, %llu lines lost\n", were_on, (unsigned long long)output.lost);
}
