// If this fails, a site that was refused once is still reported as refused although a
// probe is on it now.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: every matching site was refused
// CHECK-COUNT-3: off: the bytes there are not those of the table
// CHECK-NEXT: it was done
// CHECK-COUNT-3: on: not refused
#include "../Inputs/harness.h"
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

__attribute__((noinline)) void f_1(void) { __asm__ volatile("# 1"); }
__attribute__((noinline)) void f_2(void) { __asm__ volatile("# 2"); }
__attribute__((noinline)) void f_3(void) { __asm__ volatile("# 3"); }

static int tell(const tprt_site *site, void *data) {
  tprt_site_info info = describe(site);
  printf("%s: %s\n", info.state ? "on" : "off", tprt_refusal_string(info.refusal));
  return 0;
}

int main() {
  void (*functions[])(void) = {f_1, f_2, f_3};
  uint32_t sleds[3];
  tprt_selector selector = {.function = "f_*"};
  tprt_action action = {.handler = ignoreHit};
  tprt_probe *probe;
  mprotect((void *)((uintptr_t)f_1 & ~4095ul), 8192, PROT_READ | PROT_WRITE | PROT_EXEC);
  for (int i = 0; i < 3; ++i) {
    memcpy(&sleds[i], (void *)functions[i], 4);
    memset((void *)functions[i], 0, 4);
  }
  puts(tprt_status_string(tprt_probe_attach(&selector, &action, &probe, NULL)));
  tprt_site_visit(&selector, tell, NULL);
  for (int i = 0; i < 3; ++i)
    memcpy((void *)functions[i], &sleds[i], 4);
  puts(tprt_status_string(tprt_probe_attach(&selector, &action, &probe, NULL)));
  tprt_site_visit(&selector, tell, NULL);
}
