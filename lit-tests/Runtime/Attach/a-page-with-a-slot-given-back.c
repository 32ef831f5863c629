// The program gives back (MADV_DONTNEED) the page that ends in a sled's slot, but not the
// page that begins with the sled. The sled's jump then leads to int3. Detach must remove
// the jump. Then the function works and can be probed again.
//
// REQUIRES: x86_64-host
// RUN: %clang -Oz -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: it was done, ran
// CHECK-NEXT: it was done, ran, hits 1
#define _GNU_SOURCE
#include "tprt/tprt.h"
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>

// The slot of f0 is at the end of one page, and its sled begins the next page.
__asm__(".section .text.page, \"ax\", @progbits\n"
        ".p2align 12\n"
        ".skip 4096 - 6, 0xcc\n"
        ".text");
__attribute__((section(".text.page"), noinline)) void f0(void) { __asm__ volatile(""); }

static const tprt_site *site;
static tprt_site_info info;
static int hits;
static int find(const tprt_site *s, void *data) {
  tprt_site_describe(s, &info);
  if (info.shape != TPRT_SHAPE_SHORT || (uintptr_t)info.sled % 4096)
    return 0;
  site = s;
  return 1;
}
static void count(const tprt_event *e, const tprt_regs *r, void *data) { ++hits; }
__attribute__((tp_never)) int main(void) {
  tprt_site_visit(&(tprt_selector){.function = "f[0-9]*"}, find, NULL);
  if (!site)
    return puts("none"), 1;
  tprt_selector selector = {.sites = &site, .site_count = 1};
  tprt_action action = {.handler = count};
  tprt_probe *probe;
  tprt_probe_attach(&selector, &action, &probe, NULL);
  madvise((char *)info.sled - 4096, 4096, MADV_DONTNEED);
  printf("%s, ", tprt_status_string(tprt_probe_detach(probe, -1)));
  fflush(stdout);
  ((void (*)(void))info.function)();
  puts("ran");
  printf("%s, ", tprt_status_string(tprt_probe_attach(&selector, &action, &probe, NULL)));
  ((void (*)(void))info.function)();
  printf("ran, hits %d\n", hits);
}
