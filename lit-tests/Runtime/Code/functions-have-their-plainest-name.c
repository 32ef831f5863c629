// A function with several names is shown by the name that users know: the exported one without underscores before it,
// and of several the shortest. Each of its names selects it.
//
// REQUIRES: tpctl
// RUN: %plain_clang -O1 %s -o %t
// RUN: %tpctl list --code local _inner __library_read fetch_weakly fetch_at_once -- %t 2>&1 | FileCheck %s
//
// CHECK: entry+exit outer{{$}}
// CHECK-NEXT: entry+exit fetch{{$}}
// CHECK: 2 functions
__asm__(".globl __library_read\n.set __library_read, fetch\n"
        ".globl fetch_at_once\n.set fetch_at_once, fetch\n"
        ".weak fetch_weakly\n.set fetch_weakly, fetch\n"
        ".set local, outer\n.type local, @function\n"
        ".globl _inner\n.set _inner, outer\n");

__attribute__((noinline)) int outer(int x) {
  __asm__ volatile("" : "+r"(x));
  return x * 3 + 1;
}
__attribute__((noinline)) int fetch(int x) {
  __asm__ volatile("" : "+r"(x));
  return x * 5 + 2;
}
int main(void) { return outer(1) + fetch(2) == 0; }
