// If a record points outside its module, that module is disabled with a
// message, and the program runs as if the module had no table.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s -o %t
// RUN: %python -c "open(r'%t.bad', 'wb').write(bytes([0, 0, 0, 0x7f]) * 2 + bytes([0x10, 2, 5, 0]))"
// RUN: llvm-objcopy --update-section tp_sleds=%t.bad %t %t.lies
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS=count=main %t.lies 2>&1 | FileCheck %s
//
// CHECK: {{.*}}.lies: record 0 of its sled table points to a sled outside the module's code; its sleds stay off
// CHECK-NEXT: every sled table in this process was refused
// CHECK-NEXT: it ran
#include <stdio.h>
int main() { puts("it ran"); }
