// One command creates bitcode, and another command generates the code. If this fails,
// sleds are lost, or the second command's flags decide again about the same functions.
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: %clang -O2 -fplugin-arg-tp-entry=2 -c %s -o plain.o
// RUN: %clang -O2 -fplugin-arg-tp-entry=2 -c -emit-llvm %s -o a.bc
// RUN: %clang -O2 -c a.bc -o a.o
// RUN: %clang -O2 -fplugin-arg-tp-entry=9 -fplugin-arg-tp-exit -c a.bc -o again.o
// DEFINE: %{show} = llvm-objdump -sr -j .text -j tp_sleds -
// RUN: %{show} < plain.o > plain && %{show} < a.o | diff plain - && %{show} < again.o | diff plain -
// RUN: FileCheck %s < plain
// CHECK: 6690
// Bitcode that is created without flags has only the decisions of attributes. Later flags decide about
// the other functions.
// RUN: %clang -O2 -c -emit-llvm %s -o b.bc
// RUN: %clang -O2 -fplugin-arg-tp-entry=2 -c b.bc -o b.o && %{show} < b.o | diff plain -
__attribute__((tp_never)) int never(int X) { return X + 1; }
__attribute__((tp_entry(3, 1))) int three(int X) { return X + 2; }
int plain(int X) { return X + 3; }
