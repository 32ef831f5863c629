// If this fails, an attach to unreadable code (execute-only, or without any
// rights for a time) crashes the program instead of being refused, or such code is still
// refused after it is readable again.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: the system does not let this process change its code
// CHECK-NEXT: 1 of 1 site refused, the first f {{.*}}: the code there cannot be read or made writable
// CHECK-NEXT: 1 hits
#include "tprt/tprt.h"
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>

static int hits;
__attribute__((tp_never)) static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) { ++hits; }
__attribute__((aligned(65536), noinline)) void f(void) { __asm__ volatile(""); }
__attribute__((aligned(65536), tp_never)) int main(void) { // separate pages of any page size
  tprt_selector selector = {.function = "f"};
  tprt_action action = {.handler = onHit};
  tprt_probe *probe;
  mprotect((void *)f, 65536, PROT_NONE);
  puts(tprt_status_string(tprt_probe_attach(&selector, &action, &probe, NULL)));
  puts(tprt_error_string());
  mprotect((void *)f, 65536, PROT_READ | PROT_EXEC);
  if (tprt_probe_attach(&selector, &action, &probe, NULL) != TPRT_STATUS_OK)
    return puts(tprt_error_string()), 1;
  f();
  printf("%d hits\n", hits);
}
