// The original bytes of an enabled sled may be restored by the removal of a uprobe, or by
// the program when it drops its private pages. The current bytes decide whether a site is
// on. Such a site counts as off in the figures and for a detach, and the next probe flips
// it again, even if the first probe is still attached. The test does not run under the
// emulator, which keeps translated code.
//
// REQUIRES: x86_64-host
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: attached: enabled 1, 1 in all, 1 hits
// CHECK-NEXT: given back: enabled 0, 0 in all, 0 hits
// CHECK-NEXT: second probe, it was done: enabled 1, 1 in all, 2 hits
// CHECK-NEXT: given back: enabled 0, 0 in all, 0 hits
// CHECK-NEXT: detached, it was done and it was done: enabled 0, 0 in all, 0 hits
// CHECK-NEXT: again, it was done: enabled 1, 1 in all, 1 hits
// CHECK-NEXT: detached, it was done and it was done: enabled 0, 0 in all, 0 hits
#include "../Inputs/harness.h"
#include <sys/mman.h>
#include <unistd.h>

__attribute__((noinline)) int f(int x) {
  __asm__ volatile("" : "+r"(x));
  return x + 1;
}
static int hits;
static const tprt_site *site;
static int keep(const tprt_site *found, void *data) { return site = found, 1; }

static void tell(const char *when) {
  tprt_site_info info = describe(site);
  tprt_stats stats = readStats();
  hits = 0;
  f(1);
  printf("%s: enabled %d, %zu in all, %d hits\n", when, info.state, stats.enabled, hits);
}
// All writes to the page since the file was mapped are lost.
static void giveBack(void) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  madvise((void *)((size_t)f & ~(page - 1)), page, MADV_DONTNEED);
  tell("given back");
}
static tprt_probe *attachAndTell(const char *when) {
  tprt_selector selector = {.function = "f"};
  tprt_action action = {.handler = countHit, .data = &hits};
  tprt_probe *probe = NULL;
  tprt_status status = tprt_probe_attach(&selector, &action, &probe, NULL);
  if (*when)
    printf("%s, %s", when, tprt_status_string(status));
  return probe;
}
static void detachBoth(tprt_probe *first, tprt_probe *second) {
  printf("detached, %s and ", detach(first, -1));
  tell(tprt_status_string(second ? tprt_probe_detach(second, -1) : TPRT_STATUS_OK));
}

int main() {
  tprt_selector selector = {.function = "f"};
  tprt_site_visit(&selector, keep, NULL);
  tprt_probe *first = attachAndTell("");
  tell("attached");
  giveBack();
  tprt_probe *second = attachAndTell("second probe");
  tell("");
  giveBack();
  detachBoth(first, second);
  first = attachAndTell("again");
  tell("");
  detachBoth(first, NULL);
}
