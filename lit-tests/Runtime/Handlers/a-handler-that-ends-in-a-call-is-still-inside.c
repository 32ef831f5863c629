// A handler whose last call is a jump has no frame left below the hit's own frame. If this fails, a
// detach from the called function does not wait, and frees the handler's data.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK-COUNT-2: 3 hits, detach is not allowed from inside a handler
#include "../Inputs/harness.h"

static volatile int hits;
static tprt_probe *probe;
__attribute__((noinline)) void f(void) { __asm__ volatile(""); }
__attribute__((tp_never)) static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {
  ++hits;
  tprt_probe_detach(probe, 0);
}

int main() {
  for (uint32_t flags = 0; flags < 2; ++flags) {
    tprt_action action = {.handler = onHit, .flags = flags ? TPRT_HANDLER_GENERAL_REGS_ONLY : 0};
    probe = attach("f", TPRT_KIND_SET_ENTRY, action);
    hits = 0;
    f(), f(), f();
    printf("%d hits, %s\n", hits, tprt_error_string());
    tprt_probe_detach(probe, -1);
  }
}
