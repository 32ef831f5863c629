// The dynamic loader has no sites, even if it was started with the program as an argument. Probes there would be
// hit while the loader holds its locks, and before a thread is ready.
//
// RUN: gcc -O1 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
// RUN: /lib64/ld-linux-x86-64.so.2 %t | FileCheck %s
//
// CHECK: _dl_*: 0 sites
// CHECK-NEXT: tested: 1 sites
#include "../Inputs/harness.h"

static volatile int turns;
__attribute__((noinline)) void tested(void) { ++turns; }

static void tell(const char *name) {
  tprt_selector selector = {.function = name, .kinds = TPRT_KIND_SET_ENTRY, .module = "*ld-*",
                            .flags = TPRT_SELECT_CODE | TPRT_SELECT_LOADED};
  if (*name != '_')
    selector.module = NULL, selector.function = NULL, selector.address = (void *)tested;
  tprt_action action = {.kind = TPRT_ACTION_COUNT};
  tprt_probe *probe = NULL;
  tprt_result result;
  tprt_probe_attach(&selector, &action, &probe, &result);
  printf("%s: %zu sites\n", name, result.matched);
}

int main(void) {
  tell("_dl_*");
  tell("tested");
  return 0;
}
