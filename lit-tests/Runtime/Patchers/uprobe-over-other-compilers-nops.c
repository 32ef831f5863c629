// A uprobe is set on another compiler's enabled nop, of any length, and removed. The
// removal must leave a nop of the same length: the function works, and can be probed
// again. (Linux refuses uprobes at nops of 10 bytes and more, because of their segment
// prefix; there the test restores a breakpoint's first byte.)
//
// REQUIRES: uprobes, x86_64-host
// RUN: %plain_clang -O2 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: 5: it was done, 1 hits; gone: right, 0 hits; again: it was done, 1 hits
// CHECK-NEXT: 6: it was done, 1 hits; gone: right, 0 hits; again: it was done, 1 hits
// CHECK-NEXT: 7: it was done, 1 hits; gone: right, 0 hits; again: it was done, 1 hits
// CHECK-NEXT: 8: it was done, 1 hits; gone: right, 0 hits; again: it was done, 1 hits
// CHECK-NEXT: 9: it was done, 1 hits; gone: right, 0 hits; again: it was done, 1 hits
// CHECK-NEXT: 10: it was done, 1 hits; gone: right, 0 hits; again: it was done, 1 hits
// CHECK-NEXT: 11: it was done, 1 hits; gone: right, 0 hits; again: it was done, 1 hits
// CHECK-NEXT: 12: it was done, 1 hits; gone: right, 0 hits; again: it was done, 1 hits
// CHECK-NEXT: 13: it was done, 1 hits; gone: right, 0 hits; again: it was done, 1 hits
// CHECK-NEXT: 14: it was done, 1 hits; gone: right, 0 hits; again: it was done, 1 hits
// CHECK-NEXT: 15: it was done, 1 hits; gone: right, 0 hits; again: it was done, 1 hits
#include "../Inputs/uprobe.h"
#include "tprt/tprt.h"
#include <fcntl.h>

#define F(n) \
  __attribute__((noinline, aligned(16), patchable_function_entry(n))) int f##n(int x) { \
    __asm__ volatile("" : "+r"(x)); \
    return x + n; \
  }
F(5) F(6) F(7) F(8) F(9) F(10) F(11) F(12) F(13) F(14) F(15)
static int (*const functions[])(int) = {f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15};

static int hits;
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) { ++hits; }
static tprt_probe *probe;
static const char *attach(int n) {
  char name[8];
  snprintf(name, sizeof name, "f%d", n);
  tprt_selector selector = {.function = name, .flags = TPRT_SELECT_PATCHABLE};
  tprt_action action = {.handler = onHit};
  tprt_status status = tprt_probe_attach(&selector, &action, &probe, NULL);
  return status ? tprt_error_string() : tprt_status_string(status);
}
static int call(int n) {
  hits = 0;
  return functions[n - 5](1) == n + 1 ? hits : -1;
}

static void putBack(void *at, unsigned char byte) {
  int file = open("/proc/self/mem", O_RDWR);
  if (pwrite(file, &byte, 1, (off_t)(uintptr_t)at) != 1)
    perror("/proc/self/mem"), exit(1);
  close(file);
}

int main() {
  for (int n = 5; n <= 15; ++n) {
    unsigned char first = *(const unsigned char *)functions[n - 5];
    printf("%d: %s, ", n, attach(n));
    printf("%d hits; ", call(n));
    fflush(stdout);
    if (!probe) {
      puts("refused");
      continue;
    }
    if (n < 10)
      close(openUprobe((const void *)functions[n - 5]));
    else
      putBack((void *)functions[n - 5], first);
    printf("gone: right, %d hits; ", call(n));
    fflush(stdout);
    if (tprt_probe_detach(probe, -1))
      puts(tprt_error_string());
    printf("again: %s, ", attach(n));
    printf("%d hits\n", call(n));
    tprt_probe_detach(probe, -1);
  }
}
