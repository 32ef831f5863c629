// Fibers take turns on one thread, inside of their calls. The recorder does not know about fibers,
// so the recording shows their calls as nested, and the reader reports its repairs. But each entry
// and each exit is recorded, and calls without a fiber switch are right.
//
// REQUIRES: x86_64-host
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s -o %t %tprt_flags
// RUN: rm -f %t.rec && env TPRT_OPTIONS="record=%t.rec:f_*" %t
// RUN: %tpctl report --sort=name %t.rec 2>&1 | FileCheck %s
//
// CHECK: note: {{.*}} began before the recording
// CHECK: note: {{.*}} ended without an exit
// CHECK: f_even
// CHECK: {{ }}2000 {{.*}} f_leaf
// CHECK: f_odd
// CHECK: 4040 events of 1 thread {{.*}}, none lost
#include <stdlib.h>
#include <ucontext.h>

enum { FIBERS = 20, TURNS = 100, STACK = 1 << 16 };
static ucontext_t scheduler, fibers[FIBERS];

__attribute__((noinline)) void f_leaf(void) { __asm__ volatile(""); }
static void body(int self) {
  for (int i = 0; i < TURNS; ++i) {
    f_leaf();
    swapcontext(&fibers[self], &scheduler);
  }
}
__attribute__((noinline)) void f_even(int self) {
  body(self);
  __asm__ volatile("" ::"r"(self));
}
__attribute__((noinline)) void f_odd(int self) {
  body(self);
  __asm__ volatile("" ::"r"(self + 1));
}

int main(void) {
  for (int i = 0; i < FIBERS; ++i) {
    getcontext(&fibers[i]);
    fibers[i].uc_stack.ss_sp = malloc(STACK);
    fibers[i].uc_stack.ss_size = STACK;
    fibers[i].uc_link = &scheduler;
    makecontext(&fibers[i], (void (*)(void))(i % 2 ? f_odd : f_even), 1, i);
  }
  for (int turn = 0; turn <= TURNS; ++turn)
    for (int i = 0; i < FIBERS; ++i)
      swapcontext(&scheduler, &fibers[i]);
}
