// If this fails, entry=0 does not mean "no sled", as it does for GCC.
// RUN: %clang -fplugin-arg-tp-entry=2 -fplugin-arg-tp-entry=0 -S %s -o - | FileCheck %s --implicit-check-not=tp_sled
// RUN: %clang -fplugin-arg-tp-entry=2 -DZERO -S %s -o - | FileCheck %s --implicit-check-not=tp_sled
// CHECK: {{^}}f:
#ifdef ZERO
__attribute__((tp_entry(0)))
#endif
void f(void) {}
