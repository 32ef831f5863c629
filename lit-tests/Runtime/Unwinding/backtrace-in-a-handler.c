// The trampoline's CFI names the end of the sled as its caller's pc, so that an
// unwinder in the handler sees the traced function and its callers.
//
// RUN: %clang -O2 -rdynamic -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
// RUN: %if x86_64-host %{ %clang -O2 -rdynamic -fcf-protection=full -fplugin-arg-tp-entry=7,0 %s %tprt_flags -o %t.long %}
// RUN: %if x86_64-host %{ %t.long | FileCheck %s %}
//
// CHECK: (traced+
// CHECK-NEXT: (caller+
// CHECK-NEXT: (main+
#include "../Inputs/calls-traced.h"
#include <execinfo.h>
#include <stdio.h>

static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {
  void *frames[16];
  backtrace_symbols_fd(frames, backtrace(frames, 16), 1);
}
