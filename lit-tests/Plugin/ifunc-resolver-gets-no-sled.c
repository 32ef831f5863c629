// If this fails, a probe may be hit while the loader is still relocating.
// RUN: %clang -O1 -fplugin-arg-tp-entry=2 -c %s -o %t.o
// RUN: llvm-objdump --no-show-raw-insn -d %t.o | FileCheck %s
// CHECK-LABEL: <resolve>:
// CHECK-NEXT: leaq
// CHECK-LABEL: <one>:
// CHECK-NEXT: nop
static int one(void) { return 1; }
static void *resolve(void) { return one; }
int f(void) __attribute__((ifunc("resolve")));
