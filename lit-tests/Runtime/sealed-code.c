// mseal forbids mprotect on the program's code: it is written another way. (An
// older kernel runs the same program unsealed.)
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: it was done, 1 hit, then 1
#define _GNU_SOURCE
#include "tprt/tprt.h"
#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static int hits;
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) { ++hits; }
__attribute__((noinline)) void f(void) { __asm__ volatile(""); }

int main() {
  void *page = (void *)((unsigned long)f & ~0xffful);
  if (syscall(462 /* mseal, Linux 6.10 */, page, 4096, 0) == 0 &&
      mprotect(page, 4096, PROT_READ | PROT_WRITE | PROT_EXEC) == 0)
    return puts("not sealed"), 1;
  tprt_selector selector = {.function = "f"};
  tprt_action action = {.handler = onHit};
  tprt_probe *probe;
  tprt_status status = tprt_probe_attach(&selector, &action, &probe, NULL);
  f();
  printf("%s, %d hit, ", tprt_status_string(status), hits);
  tprt_probe_detach(probe, -1);
  f();
  printf("then %d\n", hits);
}
