// The entry of a function that calls itself may be the head of a loop. If this fails, such a
// function is slower with its sled than necessary, or all other functions are aligned to 16 bytes,
// too.
//
// RUN: %clang --target=x86_64-linux-gnu -O2 -fplugin-arg-tp-entry=2,0 -S %s -o - | FileCheck %s
// RUN: %clang --target=x86_64-linux-gnu -Os -fplugin-arg-tp-entry=2,0 -S %s -o - | FileCheck %s --check-prefix=SMALL
int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
int twice(int n) { return fib(n) + fib(n + 1); }

// CHECK: .p2align 4
// CHECK-NEXT: .type fib,
// CHECK-NEXT: .zero 11,204
// CHECK-NEXT: .zero 5,204
// CHECK-NEXT: fib:
// CHECK: .p2align 3
// CHECK-NEXT: .type twice,
// CHECK-NEXT: .zero 3,204
// CHECK-NEXT: .zero 5,204
// CHECK-NEXT: twice:

// SMALL: .p2align 1
// SMALL-NEXT: .type fib,
