// strip --keep-symbol, or a library that keeps a few symbols for a debugger, leaves a
// .symtab that lacks functions that .dynsym has. If this fails, these functions have no names.
//
// RUN: %clang -O1 -fplugin-arg-tp-entry=2,0 -rdynamic %s -o %t
// RUN: llvm-strip --keep-symbol=kept %t
// RUN: llvm-nm %t | FileCheck %s --check-prefix=SYMTAB
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so "TPRT_OPTIONS=count=kept count=lost" %t 2>&1 | FileCheck %s
//
// SYMTAB-NOT: lost
// SYMTAB: kept
// SYMTAB-NOT: lost
// CHECK-DAG: 1 kept
// CHECK-DAG: 2 lost
__attribute__((noinline)) int kept(int X) { return X + 1; }
__attribute__((noinline)) int lost(int X) { return X * 3; }

int main(int Count, char **Names) { return lost(kept(Count)) + lost(Count) == 99; }
