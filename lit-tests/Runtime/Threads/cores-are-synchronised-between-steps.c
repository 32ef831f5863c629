// Before any jump leads to new code at an address, every core must drop the old code that it has
// fetched from that address. So one barrier is between creating stubs and writing the jumps to
// them, one is between writing slots or islands and flipping sleds, and one is at the end. If no
// new code was made, there is only the last barrier.
//
// REQUIRES: x86_64-host
// RUN: rm -rf %t && split-file %s %t
// RUN: %plain_clang -O2 -shared -fPIC %t/log.c -ldl -o %t/log.so
// RUN: %clang -O2 -fplugin-arg-tp-entry=5,0 %t/main.c %tprt_interposed_flags -o %t/long
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %t/main.c %tprt_interposed_flags -o %t/short
// RUN: env LD_PRELOAD=%t/log.so %t/long 2>&1 | FileCheck %s --check-prefixes=CHECK,LONG
// RUN: env LD_PRELOAD=%t/log.so %t/short 2>&1 | FileCheck %s --check-prefixes=CHECK,SHORT
//
// CHECK: first attach
// CHECK: new code
// CHECK-NEXT: barrier
// LONG-NEXT: new code
// LONG-NEXT: barrier
// CHECK-NEXT: code is writable
// SHORT-NEXT: barrier
// CHECK-NEXT: barrier
// CHECK: detach
// CHECK-NEXT: code is writable
// CHECK-NEXT: barrier
// CHECK: second attach
// CHECK-NEXT: code is writable
// CHECK-NEXT: barrier
// CHECK: counting
// CHECK-NEXT: new code
// CHECK-NEXT: barrier
// LONG-NEXT: new code
// LONG-NEXT: barrier
// CHECK-NEXT: code is writable
// SHORT-NEXT: barrier
// CHECK-NEXT: barrier
// CHECK-NEXT: end
//--- log.c
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>

long syscall(long number, ...) {
  va_list list;
  va_start(list, number);
  long a = va_arg(list, long), b = va_arg(list, long), c = va_arg(list, long), d = va_arg(list, long),
       e = va_arg(list, long), f = va_arg(list, long);
  va_end(list);
  if (number == SYS_membarrier && a == 32)
    fputs("barrier\n", stderr);
  return ((__typeof__(syscall) *)dlsym(RTLD_NEXT, "syscall"))(number, a, b, c, d, e, f);
}

int mprotect(void *address, size_t bytes, int protection) {
  if (protection == (PROT_READ | PROT_WRITE | PROT_EXEC))
    fputs("code is writable\n", stderr);
  else if (protection == (PROT_READ | PROT_EXEC) && !dladdr(address, &(Dl_info){0}))
    fputs("new code\n", stderr);
  return ((__typeof__(mprotect) *)dlsym(RTLD_NEXT, "mprotect"))(address, bytes, protection);
}
//--- main.c
#include "tprt/tprt.h"
#include <stdio.h>
__attribute__((noinline)) void f(void) { __asm__ volatile(""); }
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {}

int main() {
  tprt_selector selector = {.function = "f"};
  tprt_action action = {.handler = onHit};
  tprt_probe *probe;
  f();
  fputs("first attach\n", stderr);
  tprt_probe_attach(&selector, &action, &probe, NULL);
  fputs("detach\n", stderr);
  tprt_probe_detach(probe, -1);
  fputs("second attach\n", stderr);
  tprt_probe_attach(&selector, &action, &probe, NULL);
  tprt_probe_detach(probe, -1);
  fputs("counting\n", stderr);
  action = (tprt_action){.kind = TPRT_ACTION_COUNT};
  tprt_probe_attach(&selector, &action, &probe, NULL);
  fputs("end\n", stderr);
}
