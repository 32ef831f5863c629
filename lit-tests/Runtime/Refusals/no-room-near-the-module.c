// Every address within 2 GiB of the program is in use. Each site of the program is
// refused with that reason, and the program keeps running.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: every matching site was refused
// CHECK-NEXT: no memory for a stub within reach of the sled
// CHECK-NEXT: still running
#define _GNU_SOURCE
#include "tprt/tprt.h"
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>

static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {}
__attribute__((noinline)) void f(void) { __asm__ volatile(""); }

int main() {
  uint64_t here = (uint64_t)f & ~0xfffull, low = here - (2ull << 30) - (1 << 24), high = here + (2ull << 30) + (1 << 24);
  // Splits a piece into halves as often as needed: mmap refuses a piece that overlaps a mapping.
  for (uint64_t size = 1 << 30; size >= 4096; size /= 2)
    for (uint64_t at = low; at < high; at += size)
      if (size > 1 << 20 || (at - here + (64 << 20) < 1280ull << 20))
        mmap((void *)at, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  tprt_selector selector = {.function = "f"};
  tprt_action action = {.handler = onHit};
  tprt_probe *probe;
  tprt_result result;
  puts(tprt_status_string(tprt_probe_attach(&selector, &action, &probe, &result)));
  puts(tprt_refusal_string(result.first_refusal));
  f();
  puts("still running");
}
