// A breakpoint that is set on an enabled sled saves the first byte of our jump, and
// restores that byte later. A detach in between leaves the bytes alone and reports that.
// After the breakpoint is removed, the sled leads to libtprt again, as the figures show,
// but no handler is called. The next attach reuses the sled.
//
// REQUIRES: x86_64-host
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: env TPRT_OPTIONS=verbose=1 %t 2>&1 | FileCheck %s
//
// CHECK: on: enabled 1, 1 in all, 1 hits
// CHECK: stays flipped, without effect: the bytes there are not those of the table
// CHECK: gone: enabled 1, 1 in all, 0 hits
// CHECK-NEXT: attached, it was done: enabled 1, 1 in all, 1 hits
// CHECK-NEXT: detached, it was done: enabled 0, 0 in all, 0 hits, the file's bytes
#include "../Inputs/harness.h"
#include <fcntl.h>
#include <stdint.h>
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
  printf("%s: enabled %d, %zu in all, %d hits", when, info.state, stats.enabled, hits);
}
static unsigned char exchange(unsigned char byte) {
  unsigned char before = *(volatile unsigned char *)f;
  int file = open("/proc/self/mem", O_RDWR);
  if (pwrite(file, &byte, 1, (off_t)(uintptr_t)f) != 1)
    perror("/proc/self/mem");
  close(file);
  return before;
}

int main() {
  setvbuf(stdout, NULL, _IONBF, 0);
  tprt_selector selector = {.function = "f"};
  tprt_site_visit(&selector, keep, NULL);
  tprt_action action = {.handler = countHit, .data = &hits};
  tprt_probe *probe;
  tprt_probe_attach(&selector, &action, &probe, NULL);
  tell("on");
  puts("");
  unsigned char saved = exchange(0xcc);
  tprt_probe_detach(probe, -1);
  exchange(saved);
  tell("gone");
  printf("\nattached, %s", tprt_status_string(tprt_probe_attach(&selector, &action, &probe, NULL)));
  tell("");
  printf("\ndetached, %s", detach(probe, -1));
  tell("");
  puts(*(volatile unsigned char *)f == 0x66 ? ", the file's bytes" : ", other bytes");
}
