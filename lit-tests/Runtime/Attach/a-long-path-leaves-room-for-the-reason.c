// A refusal names the function, its module and the reason: neither a long name nor
// a long path may push the reason and the advice out of the text.
//
// DEFINE: %{long} = a23456789/b23456789/c23456789/d23456789/e23456789/f23456789/g23456789/h23456789/i23456789/j23456789
// RUN: rm -rf %t && mkdir -p %t/%{long}/%{long}
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t/%{long}/%{long}/program
// RUN: %run %t/%{long}/%{long}/program | FileCheck %s
//
// CHECK: the first f012345678901234567890123456789012345678901234567890123456789{{0*}} ({{.*}} in ...{{.*}}/program): the function was not compiled with -ftp-opaque, so its callers may know its result or arguments{{$}}
#include "tprt/tprt.h"
#include <stdio.h>

#define NAME f012345678901234567890123456789012345678901234567890123456789000000000000000000000000000000000000000000000000000000000
__attribute__((noinline)) void NAME(void) { __asm__ volatile(""); }
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {}

int main() {
  tprt_selector selector = {.function = "f*"};
  tprt_action action = {.handler = onHit, .flags = TPRT_HANDLER_CHANGES_REGS};
  tprt_probe *probe;
  tprt_probe_attach(&selector, &action, &probe, NULL);
  puts(tprt_error_string());
  NAME();
}
