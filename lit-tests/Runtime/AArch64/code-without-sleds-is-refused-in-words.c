// Code without sleds is read on x86-64 alone. The attach says so, and does not ask for a library that is not made.
//
// RUN: %clang -O2 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: functions without sleds can't be probed: this libtprt has no part that reads code: it is for x86-64
// CHECK-NEXT: 3
#include "../Inputs/harness.h"

__attribute__((noinline)) int three(void) { return 3; }

int main(void) {
  tprt_selector selector = {.function = "three", .kinds = TPRT_KIND_SET_ENTRY, .flags = TPRT_SELECT_CODE};
  tprt_action action = {.kind = TPRT_ACTION_COUNT};
  tprt_probe *probe = NULL;
  if (tprt_probe_attach(&selector, &action, &probe, NULL) == TPRT_STATUS_UNSUPPORTED)
    puts(tprt_error_string());
  printf("%d\n", three());
  return 0;
}
