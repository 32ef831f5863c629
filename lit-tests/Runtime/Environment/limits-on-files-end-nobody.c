// A limit on the size of files (RLIMIT_FSIZE) also applies to files that the runtime
// writes: for a line on standard error, and for a file with stubs where memory that was
// writable may not become executable (PR_SET_MDWE). The program must get no SIGXFSZ for
// these files, and its functions must still be probed.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: env TPRT_OPTIONS=verbose=1 %t 2>%t.err | FileCheck %s
//
// CHECK: standard error is full: attach: no site matches the selector
// CHECK: memory stays as it is: attach: it was done, 1 hit
// CHECK: both ran on
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <tprt/tprt.h>
#include <unistd.h>
#ifndef PR_SET_MDWE
#define PR_SET_MDWE 65 /* Linux 6.3 */
#endif

static int hits;
static void handler(const tprt_event *e, const tprt_regs *r, void *d) { ++hits; }
__attribute__((noinline)) void f(void) { __asm__ volatile(""); }
static tprt_status attach(const char *function) {
  tprt_selector selector = {.function = function};
  tprt_action action = {.handler = handler};
  tprt_probe *probe;
  return tprt_probe_attach(&selector, &action, &probe, NULL);
}

int main() {
  setvbuf(stdout, NULL, _IOFBF, 4096); // a pipe
  setrlimit(RLIMIT_FSIZE, &(struct rlimit){0, 0});
  printf("standard error is full: attach: %s\n", tprt_status_string(attach("nosuch")));
  prctl(PR_SET_MDWE, 1, 0, 0, 0); // on older kernels, there is nothing more to test
  tprt_status status = attach("f");
  f();
  printf("memory stays as it is: attach: %s, %d hit\nboth ran on\n", tprt_status_string(status), hits);
}
