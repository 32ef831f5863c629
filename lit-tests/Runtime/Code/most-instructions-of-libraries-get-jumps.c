// Most instructions of uninstrumented libraries can become jumps. Every 499th instruction is turned on separately. The
// share of those that get a jump, without a trap, has a lower bound, so that no change reduces the share unnoticed. The
// program uses the libraries meanwhile. bench/README.md has the figures.
//
// RUN: gcc -O1 %s %tprt_flags -o %t
// RUN: %t libc.so.6 libstdc++.so.6 | FileCheck %s
//
// CHECK: libc.so.6: more than 200000 instructions: yes; jumps: 70 % or more
// CHECK-NEXT: libstdc++.so.6: more than 200000 instructions: yes; jumps: 70 % or more
#include "../Inputs/harness.h"
#include <dlfcn.h>
#include <string.h>

enum { STEP = 499, MOST = 20000 };
static const tprt_site *chosen[MOST];
static long sites, all, taken;

static int visit(const tprt_site *site, void *data) {
  (void)data;
  if (sites++ % STEP == 0 && all < MOST)
    chosen[all++] = site;
  return 0;
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; ++i) {
    char module[256];
    snprintf(module, sizeof module, "*/%s*", argv[i]);
    dlopen(argv[i], RTLD_NOW);
    tprt_selector which = {.module = module, .kinds = TPRT_KIND_SET_INSTRUCTION, .flags = TPRT_SELECT_CODE | TPRT_SELECT_LOADED};
    sites = all = taken = 0;
    if (tprt_site_visit(&which, visit, NULL) != TPRT_STATUS_OK)
      puts(tprt_error_string());
    for (long k = 0; k < all; ++k) {
      tprt_selector one = {.sites = &chosen[k], .site_count = 1, .flags = TPRT_SELECT_CODE,
                           .kinds = TPRT_KIND_SET_ALL | TPRT_KIND_SET_INSTRUCTION};
      tprt_probe *probe = NULL;
      if (tprt_probe_attach(&one, &(tprt_action){.kind = TPRT_ACTION_COUNT}, &probe, NULL) != TPRT_STATUS_OK)
        continue;
      ++taken;
      free(strdup("the library runs on"));
      tprt_probe_detach(probe, -1);
    }
    printf("%s: more than 200000 instructions: %s", argv[i], sites > 200000 ? "yes" : "no");
    if (taken * 100 >= all * 70)
      puts("; jumps: 70 % or more");
    else
      printf("; jumps: %ld of %ld\n", taken, all);
    fprintf(stderr, "%s: %ld instructions; %ld of %ld by jump\n", argv[i], sites, taken, all);
  }
  return 0;
}
