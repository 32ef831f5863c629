// Unwinders still read words below the stack pointer that a function has popped before its ret. If
// this fails, these words are overwritten, and a backtrace in an exit's handler is wrong or
// crashes.
//
// RUN: %clang -O2 -fno-omit-frame-pointer -fplugin-arg-tp-exit %s %tprt_flags -rdynamic -o %t
// RUN: %t | FileCheck %s
//
// CHECK: (caller+
// CHECK: (main+
// CHECK: (caller+
// CHECK: (main+
#include "../Inputs/harness.h"
#include <execinfo.h>

__attribute__((noinline)) int traced(int x) { __asm__ volatile(""); return x + 1; }
__attribute__((noinline)) int caller(int x) { return traced(x) + 1; }
__attribute__((tp_never)) static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {
  void *frames[32];
  backtrace_symbols_fd(frames, backtrace(frames, 32), 1);
}

int main() {
  for (uint32_t flags = 0; flags < 2; ++flags) {
    tprt_action action = {.handler = onHit, .flags = flags ? TPRT_HANDLER_GENERAL_REGS_ONLY : 0};
    tprt_probe *probe = attach("traced", TPRT_KIND_SET_EXIT, action);
    caller(1); // a thread's first hit takes another path
    caller(1);
    tprt_probe_detach(probe, -1);
  }
}
