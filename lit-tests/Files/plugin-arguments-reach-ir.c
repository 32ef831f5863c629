// If this fails, -fplugin-arg-tp-... is silently dropped for IR: clang gives plugins
// their arguments only when it compiles source.
// RUN: %plain_clang -O1 -c -emit-llvm %s -o %t.bc
// DEFINE: %{with} = %clang -x ir %t.bc
// RUN: %{with} -fplugin-arg-tp-entry=9 -fplugin-arg-tp-entry=2 -S -o - | FileCheck %s
// RUN: %{with} -Xclang -plugin-arg-tp -Xclang entry=2 -S -o - | FileCheck %s
// RUN: %{with} -fplugin-arg-tp-entry=2 -c -save-temps=obj -o %t.o && FileCheck %s < %t.s
// RUN: echo '-fplugin-arg-tp-entry=2' > %t.rsp && %{with} @%t.rsp -S -o - | FileCheck %s
// CHECK: xchgw %ax, %ax
// The decision pass runs in the optimiser only with a pass plugin, as the IR shows.
// RUN: %{with} -fpass-plugin=%passplugin -fplugin-arg-tp-entry=2 -S -emit-llvm -o - | FileCheck %s --check-prefix=LL
// LL: "tp-entry"="2,0"
// RUN: not %{with} -fplugin-arg-tp-entry=x -c -o /dev/null 2>&1 | FileCheck %s --check-prefix=BAD
// BAD: error: tp: invalid argument '-fplugin-arg-tp-entry=x': expected N or N,M
// RUN: not %{with} -fplugin-arg-tp-filter=%t.none -c -o /dev/null 2>&1 | FileCheck %s --check-prefix=FILTER
// FILTER: error: tp: cannot read filter file
// RUN: %{with} -fplugin-arg-tp-help -c -o /dev/null | FileCheck %s --check-prefix=HELP
// HELP: -fplugin-arg-tp-entry=N
int f(int X) { return X + 1; }
