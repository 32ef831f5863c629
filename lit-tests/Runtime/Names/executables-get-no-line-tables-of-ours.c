// If this fails, a program built without -g still has a line table, from tprt_near.o. A
// selector by source file then finds nothing in the program, and no message says that -g
// is missing.
//
// REQUIRES: tp-clang, x86_64-host
// RUN: %tp_clang -O2 -ftp-entry=2,0 -I %tprt_include %s -o %t
// RUN: llvm-readelf -S %t | FileCheck %s --check-prefix=SECTIONS --implicit-check-not=.debug_
// RUN: env TPRT_OPTIONS=verbose=1 %t 2>&1 | FileCheck %s
// SECTIONS: .text
// CHECK: can't search for the source file other.c: it has no line table; build it with -g
#include <tprt/tprt.h>

static void handler(const tprt_event *event, const tprt_regs *regs, void *data) {
  (void)event, (void)regs, (void)data;
}

int main(void) {
  tprt_selector selector = {.source = "other.c"};
  tprt_action action = {.handler = handler};
  tprt_probe *probe;
  return tprt_probe_attach(&selector, &action, &probe, 0) != TPRT_STATUS_NO_MATCH;
}
