// mseal forbids mprotect on the program's code. The code must be written through /proc/self/mem.
//
// REQUIRES: mseal
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: it was done, 1 hit, then 1
#define _GNU_SOURCE
#include "../Inputs/hits-then-none.h"
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

int main() {
  void *page = (void *)((unsigned long)f & ~0xffful);
  if (syscall(462 /* mseal, Linux 6.10 */, page, 4096, 0) ||
      mprotect(page, 4096, PROT_READ | PROT_WRITE | PROT_EXEC) == 0)
    return puts("not sealed"), 1;
  return hitsThenNone();
}
