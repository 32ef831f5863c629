// If this fails, assembly output and object output differ. A record then points at the
// wrong code.
// GNU as refuses what clang 16 writes for sections that are linked to others and in groups.
// REQUIRES: llvm-at-least-17
// REQUIRES: ppc64le-cross
// The two put different nops between functions, so each function has a section.
// DEFINE: %{cpu} = pwr8
// DEFINE: %{with} = %clang --target=powerpc64le-linux-gnu -mcpu=%{cpu} -O1 -ffunction-sections -fplugin-arg-tp-entry=4,1 -fplugin-arg-tp-exit
// DEFINE: %{show} = llvm-objdump -s -j .text.f -j .text.h -j .text.early -j tp_sleds -
// DEFINE: %{same} = %{with} -c %s -o %t.o && %{show} < %t.o > %t.txt && FileCheck %s < %t.txt && \
// DEFINE:   %{with} -fno-integrated-as -c %s -o %t.gas.o && %{show} < %t.gas.o | diff %t.txt - && \
// DEFINE:   %{with} -S %s -o %t.s && %plain_clang --target=powerpc64le-linux-gnu -mcpu=%{cpu} -c %t.s -o %t.s.o && %{show} < %t.s.o | diff %t.txt -
// RUN: %{same}
// REDEFINE: %{cpu} = pwr10
// RUN: %{same}
// CHECK: Contents of section .text.early:
// CHECK: Contents of section tp_sleds:
extern int V;
int g(int);
int f(int X) { return X + 1; }
int h(int X) { return X ? g(X) + 1 : g(2); }
void early(int *P, int X) {
  if (X > 3)
    return;
  *P = V;
}
