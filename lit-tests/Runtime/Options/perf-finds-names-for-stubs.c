// If this fails, perf shows the code between sleds and handlers as [JIT], or a symbolic
// link in /tmp redirects the program's writes to another file.
//
// REQUIRES: x86_64-host
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: env TPRT_OPTIONS=perf=1 %t > %t.pid
// RUN: sh -c "mv /tmp/perf-$(cat %t.pid).map %t.map"
// RUN: FileCheck %s < %t.map
// RUN: rm -f %t.victim
// RUN: sh -c 'ln -s %t.victim /tmp/perf-$$.map; TPRT_OPTIONS=perf=1 exec %t' > %t.pid 2> %t.said
// RUN: sh -c "rm /tmp/perf-$(cat %t.pid).map"
// RUN: FileCheck %s --check-prefix=LINK < %t.said
// RUN: not ls %t.victim
//
// CHECK: {{^[0-9a-f]+ [0-9a-f]+}} tprt: stubs of perf-finds-names-for-stubs.c.tmp{{$}}
// LINK: tprt: can't write /tmp/perf-{{[0-9]+}}.map (error {{[0-9]+}}): perf will show stubs as [JIT]
#include "tprt/tprt.h"
#include <stdio.h>
#include <unistd.h>

__attribute__((noinline)) void f(void) { __asm__ volatile(""); }
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {}

int main(void) {
  tprt_selector selector = {.function = "f"};
  tprt_action action = {.handler = onHit};
  tprt_probe *probe;
  if (tprt_probe_attach(&selector, &action, &probe, NULL) != TPRT_STATUS_OK)
    return puts(tprt_error_string());
  f();
  printf("%d\n", getpid());
  return 0;
}
