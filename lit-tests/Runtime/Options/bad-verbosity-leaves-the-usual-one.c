// If a verbosity is refused, the default verbosity of TPRT_OPTIONS stays, so that
// later messages are still printed. The level must not change.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -ltprt -o %t
// RUN: env TPRT_OPTIONS=verbose=3 %t 2>&1 | FileCheck %s --check-prefixes=ONCE,SAID
// RUN: env TPRT_OPTIONS="verbose=0 verbose=many" %t 2>&1 | FileCheck %s --check-prefix=QUIET
//
// ONCE: tprt: TPRT_OPTIONS: '3' is not a value for verbose
// SAID: tprt: none of the {{[0-9]+}} sites matches nothing_like_it
// QUIET-NOT: tprt: none of
// QUIET: ended
#include <stdio.h>
#include <tprt/tprt.h>
static void handler(const tprt_event *e, const tprt_regs *r, void *d) {}
int main() {
  tprt_selector selector = {.function = "nothing_like_it"};
  tprt_action action = {.handler = handler};
  tprt_probe *probe;
  tprt_probe_attach(&selector, &action, &probe, NULL);
  puts("ended");
}
