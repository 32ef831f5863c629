/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Enables some instructions of a library, one after the other, and prints the
 * share of them that get a jump. Prints nothing if there is no such library.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <tprt/tprt.h>

enum { STEP = 997, MOST = 20000 };
static const tprt_site *chosen[MOST];
static long sites, all, taken;

static int choose(const tprt_site *site, void *data) {
  (void)data;
  if (sites++ % STEP == 0 && all < MOST)
    chosen[all++] = site;
  return 0;
}

int main(int argc, char **argv) {
  char module[256];
  if (argc < 2 || !dlopen(argv[1], RTLD_NOW))
    return 0;
  snprintf(module, sizeof module, "*/%s*", argv[1]);
  tprt_selector which = {.module = module, .kinds = TPRT_KIND_SET_INSTRUCTION, .flags = TPRT_SELECT_CODE | TPRT_SELECT_LOADED};
  if (tprt_site_visit(&which, choose, NULL) != TPRT_STATUS_OK) {
    fprintf(stderr, "%s\n", tprt_error_string());
    return 1;
  }
  for (long i = 0; i < all; ++i) {
    tprt_selector one = {.sites = &chosen[i], .site_count = 1, .kinds = TPRT_KIND_SET_ALL | TPRT_KIND_SET_INSTRUCTION,
                         .flags = TPRT_SELECT_CODE};
    tprt_action action = {.kind = TPRT_ACTION_COUNT};
    tprt_probe *probe = NULL;
    if (tprt_probe_attach(&one, &action, &probe, NULL) != TPRT_STATUS_OK)
      continue;
    ++taken;
    tprt_probe_detach(probe, -1);
  }
  printf("instruction_coverage %f\n", all ? (double)taken / (double)all : 0);
  return 0;
}
