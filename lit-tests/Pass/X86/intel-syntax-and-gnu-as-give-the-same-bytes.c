// If this fails, assembly output and object output differ: the record then points
// at other code.
// DEFINE: %{with} = %clang -O2 -fcf-protection -fplugin-arg-tp-entry=8,1 -ffunction-sections
// RUN: %{with} -c %s -o %t.o
// RUN: %{with} -S %s -o %t.s && %plain_clang -c %t.s -o %t.s.o
// RUN: %{with} -fno-integrated-as -c %s -o %t.gas.o
// RUN: %{with} -masm=intel -S %s -o %t.intel.s && %plain_clang -c %t.intel.s -o %t.intel.o
// RUN: llvm-objcopy -O binary -j .text.f %t.o %t.text
// RUN: llvm-objcopy -O binary -j .text.f %t.s.o %t.s.text     && cmp %t.text %t.s.text
// RUN: llvm-objcopy -O binary -j .text.f %t.gas.o %t.gas.text && cmp %t.text %t.gas.text
// RUN: llvm-objcopy -O binary -j .text.f %t.intel.o %t.intel.text && cmp %t.text %t.intel.text
int f(int X) { return X + 1; }
