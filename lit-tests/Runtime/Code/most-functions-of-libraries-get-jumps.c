// In uninstrumented libraries, nearly all entries and returns of functions become jumps. In a program for a fixed
// address, which contains the whole C++ library, nine of ten entries and seven of ten returns do. The test's shares are
// lower bounds, so that no change reduces the shares unnoticed. bench/README.md has the figures.
//
// RUN: gcc -O1 %s %tprt_flags -o %t
// RUN: %t 96 90 libc.so.6 libstdc++.so.6 | FileCheck %s
// RUN: g++ -O1 -no-pie -x c %s -x none %tprt_flags -Wl,--whole-archive -l:libstdc++.a -Wl,--no-whole-archive -o %t.fixed
// RUN: %t.fixed 90 70 most-functions | FileCheck %s --check-prefix=FIXED
//
// CHECK: libc.so.6: more than 2500 functions: yes; entries: 96 % or more; returns: 90 % or more
// CHECK-NEXT: libstdc++.so.6: more than 2500 functions: yes; entries: 96 % or more; returns: 90 % or more
// FIXED: most-functions: more than 2500 functions: yes; entries: 90 % or more; returns: 70 % or more
#include "../Inputs/harness.h"
#include <dlfcn.h>
#include <string.h>

static int sites[4], on[4]; // by kind

static int visit(const tprt_site *site, void *data) {
  const tprt_site_info info = describe(site);
  (void)data;
  ++sites[info.kind];
  on[info.kind] += info.state == TPRT_SITE_STATE_ON;
  return 0;
}

static void printShare(const char *name, int kind, int floor) {
  if (on[kind] * 100 >= sites[kind] * floor)
    printf("; %s: %d %% or more", name, floor);
  else
    printf("; %s: %d of %d", name, on[kind], sites[kind]);
}

// The arguments are the lower bounds for entries and returns, and parts of modules' names.
int main(int argc, char **argv) {
  for (int i = 3; i < argc; ++i) {
    char module[256];
    snprintf(module, sizeof module, "*/%s*", argv[i]);
    dlopen(argv[i], RTLD_NOW);
    tprt_selector all = {.function = "*", .module = module, .kinds = TPRT_KIND_SET_ALL,
                         .flags = TPRT_SELECT_CODE | TPRT_SELECT_LOADED};
    tprt_probe *probe = NULL;
    tprt_probe_attach(&all, &(tprt_action){.kind = TPRT_ACTION_COUNT}, &probe, NULL);
    memset(sites, 0, sizeof sites);
    memset(on, 0, sizeof on);
    tprt_site_visit(&all, visit, NULL);
    tprt_probe_detach(probe, -1);
    printf("%s: more than 2500 functions: %s", argv[i], sites[TPRT_KIND_ENTRY] > 2500 ? "yes" : "no");
    printShare("entries", TPRT_KIND_ENTRY, atoi(argv[1]));
    printShare("returns", TPRT_KIND_EXIT, atoi(argv[2]));
    puts("");
  }
  return 0;
}
