// If this fails, the M of -ftp-entry=N,M has another meaning than in clang's -fpatchable-function-entry: M nops
// before the global entry, and N-M behind the local entry.
// DEFINE: %{show} = llvm-objdump -d --no-show-raw-insn -j .text
// DEFINE: %{with} = %clang --target=powerpc64le-linux-gnu -mcpu=pwr8 -O2 -c %s
// RUN: %{with} -falign-functions=32 -fplugin-arg-tp-entry=4,2 -o %t.o
// RUN: %{show} %t.o | FileCheck %s
// CHECK:      : {{ *}}nop
// CHECK-NEXT: nop
// CHECK-EMPTY:
// CHECK-NEXT: {{0+20}} <f>:
// CHECK-NEXT: addis 2, 12, 0
// CHECK-NEXT: addi 2, 2, 0
// CHECK-NEXT: nop
// CHECK-NEXT: nop
// CHECK-NEXT: addis
// clang 22 is the first that knows its own option for this processor.
// RUN: %if llvm-at-least-22 %{ %{with} -fplugin-arg-tp-entry=4,2 -o %t.ours.o && %{show} %t.ours.o | tail -n +7 > %t.ours %}
// RUN: %if llvm-at-least-22 %{ %{with} -fpatchable-function-entry=4,2 -o %t.own.o && %{show} %t.own.o | tail -n +7 | diff %t.ours - %}
extern int V;
int f(int X) { return V + X; }
