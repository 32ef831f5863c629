// Under PR_SET_MDWE nothing writable may become executable: stubs come through
// a file mapping, sleds are written through /proc/self/mem. (Kernels without
// it, before 6.3, run the same program unrestricted.)
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: it was done, 1 then 1
#include "tprt/tprt.h"
#include <stdio.h>
#include <sys/prctl.h>

static int hits;
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) { ++hits; }
__attribute__((noinline)) void f(void) { __asm__ volatile(""); }

int main() {
  prctl(65 /* PR_SET_MDWE */, 1 /* PR_MDWE_REFUSE_EXEC_GAIN */, 0, 0, 0);
  tprt_selector selector = {.function = "f"};
  tprt_action action = {.handler = onHit};
  tprt_probe *probe;
  tprt_status status = tprt_probe_attach(&selector, &action, &probe, NULL);
  if (!probe) {
    puts(tprt_last_error());
    return 1;
  }
  f();
  int on = hits;
  tprt_probe_detach(probe, -1);
  f();
  printf("%s, %d then %d\n", tprt_status_string(status), on, hits);
}
