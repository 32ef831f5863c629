// A handler sees the return address of a call, at the call's entry and at its exit, whether or not
// the caller has sleds.
//
// RUN: %tp_clang -O2 -ftp-entry=2,0 -ftp-exit %s %tprt_flags -o %t
// RUN: %run %t | FileCheck %s
//
// CHECK: entry: in first
// CHECK: exit: in first
// CHECK: entry: in second
// CHECK: exit: in second
#include <stdio.h>
#include <tprt/tprt.h>
__attribute__((noinline)) int callee(int x) { __asm__ volatile("" : "+r"(x)); return x + 1; }
static uint64_t from;
#define CALLER(NAME, ...) \
  __attribute__((noinline, __VA_ARGS__)) int NAME(int x) { \
    from = (uint64_t)&NAME; \
    x = callee(x); \
    __asm__ volatile("" : "+r"(x)); /* no tail call */ \
    return x; \
  }
CALLER(first, tp_opaque)
CALLER(second, tp_never)
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {
  uint64_t address = tprt_regs_return_address(regs);
  printf("%s: %s\n", event->kind == TPRT_KIND_ENTRY ? "entry" : "exit",
         address <= from || address > from + 200 ? "elsewhere" : from == (uint64_t)&first ? "in first" : "in second");
}
int main() {
  tprt_selector selector = {.function = "callee", .kinds = TPRT_KIND_SET_ALL};
  tprt_action action = {.handler = onHit};
  tprt_probe *probe;
  if (tprt_probe_attach(&selector, &action, &probe, NULL))
    return puts(tprt_error_string());
  return first(1) + second(1) != 4;
}
