// tp-clang links a copy of libtprt's trampolines into executables. A pattern for all functions
// of the program does not select them, nor their instructions: a hit would run its own site.
//
// REQUIRES: tp-clang, tpctl, x86_64-host
// RUN: %tp_clang -O1 %s -o %t
// RUN: llvm-nm %t | FileCheck %s --check-prefix=NM
// RUN: %tpctl count --code '*.c.tmp!*' -- %t 2>&1 | FileCheck %s
// RUN: %tpctl hist --code --budget=none --by=function '*.c.tmp!*' -- %t 2>&1 | FileCheck %s --check-prefix=TIMED
// RUN: %tpctl record --code '*.c.tmp!*' -o %t.tp -- %t 2>&1 | FileCheck %s --check-prefix=RECORDED
// RUN: not %tpctl list --code '__tprt_full' '__tprt_entry*' -- %t 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not %tpctl count --code --traps '__tprt_full+*' -- %t 2>&1 | FileCheck %s --check-prefix=INSIDE
//
// Programs with sleds have the copy, too.
// RUN: %tp_clang -O1 -ftp-entry=2,0 -ftp-exit %s -o %t
// RUN: %tpctl count --code '*.c.tmp!*' '!main' -- %t 2>&1 | FileCheck %s
//
// NM: t __tprt_full
// CHECK-NOT: signal
// CHECK: 1,000 {{.*}} work
// CHECK-NOT: __tprt
// TIMED: {{^}}main
// TIMED-NEXT: 1 call,
// TIMED-NOT: __tprt
// RECORDED-NOT: signal
// RECORDED: events, none lost
// NONE: error: __tprt_{{(full|entry\*)}}
// INSIDE-NOT: hits
// INSIDE: __tprt_full
__attribute__((noinline)) static int work(int x) {
  __asm__ volatile("" : "+r"(x));
  return x * 3;
}
int main(void) {
  int sum = 0;
  for (int i = 0; i < 1000; ++i)
    sum += work(i);
  return sum & 0;
}
