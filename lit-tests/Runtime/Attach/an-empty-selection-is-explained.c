// If this fails, an attach that finds nothing does not name the criterion that excluded
// the last site.
//
// RUN: %clang -O2 -gline-tables-only -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t 2>&1 | FileCheck %s
// RUN: %clang -O2 -fplugin-arg-tp-exit -fplugin-arg-tp-entry=0 %s %tprt_flags -o %t.exits
// RUN: %t.exits 2>&1 | FileCheck %s --check-prefix=EXITS
#include "tprt/tprt.h"
#include <stdio.h>
#include <string.h>

static void onHit(const tprt_event *e, const tprt_regs *r, void *d) {}
__attribute__((noinline)) void f(void) { __asm__ volatile(""); }

static int visit(const tprt_site *site, void *data) { return 0; }

static void attach(tprt_selector selector) {
  tprt_action action = {.handler = onHit};
  tprt_probe *probe;
  tprt_status status = tprt_probe_attach(&selector, &action, &probe, NULL);
  printf("%d %s\n", status == TPRT_STATUS_NO_MATCH, tprt_error_string());
}

int main(void) {
  const tprt_site *none = NULL;
  // CHECK: 1 no module that is loaded so far and has sites is called main (
  attach((tprt_selector){.function = "main!f"});
  // CHECK-NEXT: 1 none of the 4 sites matches g so far (
  attach((tprt_selector){.function = "g"});
  // CHECK-NEXT: 1 none of the 4 sites of *selection* matches g so far (
  attach((tprt_selector){.function = "*selection*!g"});
  // CHECK-NEXT: 1 f has no exit sled of that kind: build with -fplugin-arg-tp-exit
  // EXITS: 1 f has no entry sled: build with -fplugin-arg-tp-entry=2,0
  attach((tprt_selector){.function = "f", .kinds = TPRT_KIND_SET_EXIT});
  attach((tprt_selector){.function = "f"});
  // CHECK: 1 no line table places f in the source file other.c (
  attach((tprt_selector){.function = "f", .source = "other.c"});
  // CHECK-NEXT: 1 {{.*}} is not a sled, and not a function with sleds
  attach((tprt_selector){.function = "f", .address = &visit});
  // CHECK-NEXT: 1 the list of sites is empty
  attach((tprt_selector){.sites = &none});
  // CHECK-NEXT: 0 the selector has an unknown kind
  attach((tprt_selector){.function = "f", .kinds = 32});
  char name[500] = ""; // however long, the reason is there
  memset(name, 'l', sizeof name - 1);
  // CHECK-NEXT: 1 none of the 4 sites of *selection* matches lllllll{{l*}} so far (names {{.*}}inlined, or an IFUNC?)
  attach((tprt_selector){.function = name, .module = "*selection*"});
  // CHECK-NEXT: 1 no line table places f in the source file lllllll{{l*}} {{.*}} -gline-tables-only)
  attach((tprt_selector){.function = "f", .source = name});
  // CHECK-NEXT: 1 none of the 4 sites matches h so far (
  tprt_status status = tprt_site_visit(&(tprt_selector){.function = "h"}, visit, NULL);
  printf("%d %s\n", status == TPRT_STATUS_NO_MATCH, tprt_error_string());
}
