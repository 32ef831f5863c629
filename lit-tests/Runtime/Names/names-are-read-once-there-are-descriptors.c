// A process that has no free descriptor gets no names, and a message says why. Once it has a
// free descriptor, it gets names.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: env TPRT_OPTIONS=verbose=1 %t 2>&1 | FileCheck %s
//
// CHECK: no names for its functions: its file can't be opened now: out of descriptors or memory
// CHECK-NOT: no names
// CHECK: without: no site matches the selector
// CHECK: again: no site matches the selector
// CHECK: with: it was done
#include <stdio.h>
#include <sys/resource.h>
#include <tprt/tprt.h>

__attribute__((noinline)) void f(void) { __asm__ volatile(""); }
static int see(const tprt_site *site, void *data) { return 0; }
static void visit(const char *when) {
  tprt_selector selector = {.function = "f"};
  tprt_status status = tprt_site_visit(&selector, see, NULL);
  fprintf(stderr, "%s: %s\n", when, tprt_status_string(status));
}

int main() {
  struct rlimit before, none;
  getrlimit(RLIMIT_NOFILE, &before);
  none = (struct rlimit){0, before.rlim_max};
  tprt_site_visit(NULL, see, NULL);
  setrlimit(RLIMIT_NOFILE, &none);
  visit("without");
  visit("again");
  setrlimit(RLIMIT_NOFILE, &before);
  visit("with");
  f();
}
