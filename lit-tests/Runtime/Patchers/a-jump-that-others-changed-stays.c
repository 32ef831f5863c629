// If this fails, detach overwrites a return that another patcher has redirected since the
// attach.
//
// RUN: %clang -O2 -fplugin-arg-tp-exit %s %tprt_flags -o %t
// RUN: env TPRT_OPTIONS=verbose=1 %t > %t.out 2>&1 && FileCheck %s < %t.out
//
// CHECK: 1 hit, e9
// CHECK-NEXT: stays flipped, without effect: the bytes there are not those of the table
// CHECK-NEXT: it was done: e9
// CHECK-NEXT: 1 hit
#include "../Inputs/harness.h"
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

__attribute__((noinline)) void f(void) { __asm__ volatile(""); }
static int hits;

int main() {
  setvbuf(stdout, NULL, _IONBF, 0);
  tprt_probe *probe = attach("f", TPRT_KIND_SET_EXIT, (tprt_action){.handler = countHit, .data = &hits});
  f();
  unsigned char *code = (unsigned char *)f, *ret = code; // f is the address of its ret
  printf("%d hit, %02x\n", hits, *ret);
  mprotect((void *)((uintptr_t)code & ~4095ul), 8192, PROT_READ | PROT_WRITE | PROT_EXEC);
  int32_t distance, other = 0;
  memcpy(&distance, ret + 1, 4);
  memcpy(ret + 1, &other, 4);
  tprt_status status = tprt_probe_detach(probe, -1);
  printf("%s: %02x\n", tprt_status_string(status), *ret);
  memcpy(ret + 1, &distance, 4);
  f();
  printf("%d hit\n", hits);
}
