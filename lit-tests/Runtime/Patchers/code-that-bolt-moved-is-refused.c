// llvm-bolt copies functions to new addresses, or overwrites the old code, and does not
// update the table. If the old sleds were flipped, attach would report success but no
// site would be hit. So the old sleds are refused, with the reason.
//
// REQUIRES: bolt
// RUN: %clang -O2 -fplugin-arg-tp-entry=5 -Wl,--emit-relocs %s %tprt_flags -o %t
// RUN: %t | FileCheck --check-prefix=PLAIN %s
// RUN: llvm-bolt %t -o %t.moved > %t.log 2>&1
// RUN: %t.moved | FileCheck --check-prefix=MOVED %s
// RUN: llvm-bolt %t -o %t.skipped --skip-funcs='work.*,start.*,main.*,onHit.*,attach.*' >> %t.log 2>&1
// RUN: %t.skipped | FileCheck --check-prefix=PLAIN %s
// RUN: %clang -O2 -fplugin-arg-tp-entry=5 %s %tprt_flags -o %t.norelocs
// RUN: llvm-bolt %t.norelocs -o %t.written >> %t.log 2>&1
// RUN: %t.written | FileCheck --check-prefix=WRITTEN %s
//
// PLAIN: by name: it was done, 1 hits
// PLAIN-NEXT: all: it was done, 2 hits
// MOVED: by name: no site matches the selector, 0 hits: {{.*}} BOLT has moved code of this file
// MOVED-NEXT: all: every matching site was refused, 0 hits: {{.*}}: BOLT moved the function's code
// WRITTEN: by name: every matching site was refused, 0 hits: {{.*}}; BOLT has rewritten this file
#include "tprt/tprt.h"
#include <stdio.h>

static int hits;
static volatile int sum;
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) { ++hits; }

__attribute__((noinline)) int work(int x) { return x + 1; }
__attribute__((noinline)) int start(int x) { return work(x) * 2; }

static void attach(const char *what, const char *function) {
  tprt_selector selector = {.function = function};
  tprt_action action = {.handler = onHit};
  tprt_probe *probe;
  tprt_result result;
  hits = 0;
  tprt_status status = tprt_probe_attach(&selector, &action, &probe, &result);
  sum += start(1);
  printf("%s: %s, %d hits: %s\n", what, tprt_status_string(status), hits, tprt_error_string());
  if (probe)
    tprt_probe_detach(probe, -1);
}

int main(void) {
  attach("by name", "work");
  attach("all", NULL);
}
