// If this fails, `tp-clang --target=aarch64-linux-gnu` links without libtprt, or with the
// libtprt for x86-64.
// REQUIRES: tprt-aarch64, aarch64-cross
// RUN: %tp_clang --target=aarch64-linux-gnu -O2 -ftp-entry=2,0 -I %tprt_include %s -o %t
// RUN: %run_aarch64 %t | FileCheck %s
// RUN: %tp_clang --target=aarch64-linux-gnu -O2 -ftp-entry=2,0 -static -I %tprt_include %s -o %t.static
// RUN: %run_aarch64 %t.static | FileCheck %s
// CHECK: it was done, 1 call counted
#include "tprt/tprt.h"
#include <stdio.h>

__attribute__((noinline)) int traced(int x) {
  __asm__ volatile("");
  return x + 1;
}
int main(void) {
  tprt_selector selector = {.function = "traced"};
  tprt_action action = {.kind = TPRT_ACTION_COUNT};
  tprt_probe *probe;
  tprt_status status = tprt_probe_attach(&selector, &action, &probe, 0);
  traced(1);
  printf("%s, %d call counted\n", tprt_status_string(status), (int)tprt_probe_count(probe));
}
