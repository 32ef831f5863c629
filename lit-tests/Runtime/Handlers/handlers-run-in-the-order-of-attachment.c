// Handlers of one site are called in the order in which they were attached, also after one
// between them went.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: abc
// CHECK-NEXT: ac
// CHECK-NEXT: acb
#include "tprt/tprt.h"
#include <stdio.h>

static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) { putchar(*(const char *)data); }
__attribute__((noinline)) void f(void) { __asm__ volatile(""); }

static tprt_probe *attach(const char *letter) {
  tprt_selector selector = {.function = "f"};
  tprt_action action = {.handler = onHit, .data = (void *)letter};
  tprt_probe *probe;
  if (tprt_probe_attach(&selector, &action, &probe, NULL))
    puts(tprt_last_error());
  return probe;
}

int main() {
  attach("a");
  tprt_probe *second = attach("b");
  attach("c");
  f(), putchar('\n');
  tprt_probe_detach(second, -1);
  f(), putchar('\n');
  attach("b");
  f(), putchar('\n');
}
