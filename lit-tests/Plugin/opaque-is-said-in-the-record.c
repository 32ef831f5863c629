// If this fails, the runtime refuses to change arguments although the change is safe, or
// changes arguments although callers rely on the body.
// RUN: %clang --target=x86_64-linux-gnu -O1 -fplugin-arg-tp-entry=2 -c %s -o %t.o
// RUN: llvm-objdump -s -j tp_sleds %t.o | FileCheck %s
__attribute__((tp_opaque)) void hidden(int A) {}
void plain(int A) {}
// RUN: %clang --target=x86_64-linux-gnu -O1 -fplugin-arg-tp-exit -c %s -o %t.exit.o
// RUN: llvm-objdump -s -j tp_sleds %t.exit.o | FileCheck %s
// In the last byte of a record, 64 means opaque, and 128 means that its distances begin at the previous record.
// CHECK: 0000 {{.{8} .{8} ......}}40
// CHECK-NEXT: 0010 {{.{8} ......}}80
