// If this fails, an unwinder in a handler at a point in a leaf function does not find the
// function and its callers. The test uses both alignments of the function's stack.
//
// RUN: %plain_clang -O2 -I %S/Inputs %s %tprt_flags -rdynamic -funwind-tables -o %t
// RUN: %t | FileCheck %s
//
// CHECK: leaf leafCaller
// CHECK-NEXT: withFrame frameCaller
// CHECK-NEXT: leaf leafCaller
// CHECK-NEXT: withFrame frameCaller
#define _GNU_SOURCE
#include "point.h"
#include "tprt/tprt.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <stdio.h>
#include <string.h>

static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {
  void *frames[16];
  int count = backtrace(frames, 16), started = 0;
  for (int i = 0; i < count; ++i) {
    Dl_info info;
    const char *name = dladdr((char *)frames[i] - 1, &info) && info.dli_sname ? info.dli_sname : "?";
    started |= !strcmp(name, "leaf") || !strcmp(name, "withFrame");
    if (started && strcmp(name, "main"))
      printf("%s ", name);
    if (!strcmp(name, "main"))
      break;
  }
  puts("");
}

__attribute__((noinline)) void leaf(uint64_t x) { POINT(leaf, "%lu %lu", x, x); }
__attribute__((noinline)) void withFrame(uint64_t x) {
  volatile char data[40];
  data[0] = (char)x;
  POINT(frame, "%lu %lu", x, data[0]);
  __asm__ volatile("" : : "r"(data) : "memory");
}
__attribute__((noinline)) void leafCaller(uint64_t x) {
  leaf(x);
  __asm__ volatile("");
}
__attribute__((noinline)) void frameCaller(uint64_t x) {
  withFrame(x);
  __asm__ volatile("");
}

int main(void) {
  for (int general = 0; general < 2; ++general) {
    tprt_action action = {.handler = onHit, .flags = general ? TPRT_HANDLER_GENERAL_REGS_ONLY : 0};
    tprt_probe *probe;
    tprt_probe_attach(&(tprt_selector){.kinds = TPRT_KIND_SET_POINT}, &action, &probe, NULL);
    leafCaller(1);
    frameCaller(2);
    tprt_probe_detach(probe, -1);
  }
  return 0;
}
