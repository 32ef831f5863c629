// A handler that promises to use no vector registers may call tprt_refusal_string(). The
// probed function's floating-point argument must survive that call.
//
// RUN: %clang -O1 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-opaque %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
// RUN: env GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX512VL %t | FileCheck %s
//
// CHECK: 2.5, 2 sentences
#include "../Inputs/harness.h"

static int sentences;
__attribute__((tp_never)) static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {
  sentences += *tprt_status_string(TPRT_STATUS_OTHER_COPY) != 0;
  sentences += *tprt_refusal_string(TPRT_REFUSAL_SIGTRAP) != 0;
}
__attribute__((noinline)) double half(double x) { return x / 2; }

int main() {
  tprt_action action = {.handler = onHit, .flags = TPRT_HANDLER_GENERAL_REGS_ONLY};
  attach("half", TPRT_KIND_SET_ENTRY, action);
  half(1); // a thread's first hit saves all registers
  sentences = 0;
  double value = half(5);
  printf("%g, %d sentences\n", value, sentences);
}
