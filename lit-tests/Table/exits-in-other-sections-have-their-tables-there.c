// If this fails, a linker that drops or moves one section leaves a wrong
// record.
// RUN: %clang -O1 -fplugin-arg-tp-exit -fplugin-arg-tp-entry=2 -fbasic-block-sections=all -fPIC -c %s -o %t.o
// RUN: llvm-readelf -S %t.o | FileCheck %s
// CHECK: {{\[}} [[HOT:[0-9]+]]] .text.f PROGBITS
// CHECK: tp_sleds {{.*}} AL [[HOT]]
// CHECK-NOT: AL [[HOT]]
// CHECK: tp_sleds {{.*}} AL
// RUN: %clang -O1 -fplugin-arg-tp-exit -fplugin-arg-tp-entry=2 -fbasic-block-sections=all -S %s -o - | FileCheck %s --check-prefix=ASM
// ASM: .section tp_sleds,"ao",@progbits,.Ltp_sled0
// ASM: .section tp_sleds,"ao",@progbits,.Ltp_exit0
// ASM: .long .Ltp_exit0-
// ASM: .long .Ltp_entry0-
// RUN: %clang -shared %t.o %use_lld -Wl,-z,text -o %t.so
// The last line fails if the table needs a dynamic relocation.
void g(int), h(int);
int f(int X) {
  if (X) {
    g(X);
    return 1;
  }
  h(X);
  h(2);
  return 0;
}
