// A file may have no section headers at all. The loader finds the symbols by the dynamic
// section. If this fails, libtprt does not find them.
//
// RUN: %clang -O1 -fplugin-arg-tp-entry=2,0 -rdynamic %s -Wl,--hash-style=gnu -o %t.gnu
// RUN: %clang -O1 -fplugin-arg-tp-entry=2,0 -rdynamic %s -Wl,--hash-style=sysv -o %t.sysv
// RUN: llvm-objcopy --strip-sections %t.gnu && llvm-objcopy --strip-sections %t.sysv
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so "TPRT_OPTIONS=count=seldom count=often" %t.gnu 2>&1 | FileCheck %s
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so "TPRT_OPTIONS=count=seldom count=often" %t.sysv 2>&1 | FileCheck %s
//
// CHECK-DAG: 1 seldom
// CHECK-DAG: 2 often
__attribute__((noinline)) int seldom(int X) { return X + 1; }
__attribute__((noinline)) int often(int X) { return X * 3; }

int main(int Count, char **Names) { return often(seldom(Count)) + often(Count) == 99; }
