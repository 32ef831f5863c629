// If the bytes differ from those that the table describes (here because of a
// breakpoint), the site is refused by name, and nothing is written.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: some sites were refused
// CHECK-NEXT: 1 of 2 sites refused, the first f_broken ({{.*}}): the bytes there are not those of the table
// CHECK-NEXT: cc 90
#include "tprt/tprt.h"
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>

__attribute__((noinline)) void f_broken(void) { __asm__ volatile(""); }
__attribute__((noinline)) void f_whole(void) { __asm__ volatile(""); }
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {}

int main() {
  unsigned char *code = (unsigned char *)f_broken;
  mprotect((void *)((uintptr_t)code & ~4095ul), 8192, PROT_READ | PROT_WRITE | PROT_EXEC);
  *code = 0xcc;
  tprt_selector selector = {.function = "f_*"};
  tprt_action action = {.handler = onHit};
  tprt_probe *probe;
  puts(tprt_status_string(tprt_probe_attach(&selector, &action, &probe, NULL)));
  puts(tprt_error_string());
  printf("%02x %02x\n", code[0], code[1]);
  f_whole();
  tprt_probe_detach(probe, -1);
}
