// If this fails, records are right in only one kind of output. The source has landing
// pads, COMDAT, several sections, and every shape of sled.
// GNU as refuses what clang 16 writes for sections that are linked to others and in groups.
// REQUIRES: llvm-at-least-17
// DEFINE: %{sled} = 2
// DEFINE: %{with} = %clangxx -O2 -fcf-protection -ffunction-sections -fplugin-arg-tp-entry=%{sled} -fplugin-arg-tp-exit
// DEFINE: %{show} = llvm-objdump -s -j .text._Z1fi -j .text._Z1hi -j .text._Z6inlinei -j tp_sleds -j .note.tp -
// DEFINE: %{check} = %{with} -c %s -o %t.o && %{show} < %t.o > %t.txt && FileCheck %s < %t.txt && \
// DEFINE:   %{with} -S %s -o %t.s && %plain_clang -c %t.s -o %t.s.o && %{show} < %t.s.o | diff %t.txt - && \
// DEFINE:   %{with} -masm=intel -S %s -o %t.s && %plain_clang -c %t.s -o %t.s.o && %{show} < %t.s.o | diff %t.txt - && \
// DEFINE:   %{with} -fno-integrated-as -c %s -o %t.s.o && %{show} < %t.s.o | diff %t.txt -
// RUN: %{check}
// REDEFINE: %{sled} = 3,1
// RUN: %{check}
// REDEFINE: %{sled} = 9,2
// RUN: %{check}
// CHECK-COUNT-3: Contents of section tp_sleds:
int g(int);
__attribute__((noinline)) inline int inline_(int X) __asm__("_Z6inlinei");
inline int inline_(int X) { return X + 1; }
int f(int X) { return X ? g(X) + inline_(X) : 0; }
int h(int X) { return g(X + 1); }
