// `enabled` follows the bytes of a sled, even if a detach had to leave them unchanged. When a
// breakpoint is removed, our jump is restored; after MADV_DONTNEED, the file's bytes are restored.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: breakpoint there: 0, gone: 1
// CHECK-NEXT: unreadable at detach, readable: 1, given back: 0
#define _GNU_SOURCE
#include "../Inputs/harness.h"
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

enum { Page = 65536 };
#define CODE(part) __attribute__((noinline, section(".text." part), aligned(Page)))
CODE("1") int f(int x) { __asm__ volatile("" : "+r"(x)); return x + 1; }
CODE("2") __attribute__((tp_never)) void last(void) {}
static const tprt_site *site;
static int keep(const tprt_site *s, void *data) { site = s; return 0; }
static tprt_site_info look(void) { return describe(site); }
static void poke(unsigned char byte) {
  int file = open("/proc/self/mem", O_RDWR);
  if (pwrite(file, &byte, 1, (off_t)(uintptr_t)look().sled) != 1)
    perror("poke");
  close(file);
}
__attribute__((tp_never)) int main(void) {
  tprt_selector selector = {.function = "f"};
  tprt_action action = {.handler = ignoreHit};
  tprt_probe *probe;
  tprt_site_visit(&selector, keep, NULL);
  tprt_probe_attach(&selector, &action, &probe, NULL);
  unsigned char ours = *(const unsigned char *)look().sled;
  poke(0xcc);
  tprt_probe_detach(probe, -1);
  printf("breakpoint there: %d, ", look().state);
  poke(ours);
  printf("gone: %d\n", look().state);
  tprt_probe_attach(&selector, &action, &probe, NULL);
  mprotect((void *)f, Page, PROT_NONE);
  tprt_probe_detach(probe, -1);
  mprotect((void *)f, Page, PROT_READ | PROT_EXEC);
  printf("unreadable at detach, readable: %d, ", look().state);
  madvise((void *)f, Page, MADV_DONTNEED);
  printf("given back: %d\n", look().state);
}
