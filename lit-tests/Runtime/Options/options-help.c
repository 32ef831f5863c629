// TPRT_OPTIONS=help=1 lists the options, so users need not look into the manual.
//
// RUN: %plain_clang %s -o %t
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS=help=1 %t 2>&1 | FileCheck %s
//
// CHECK: libtprt {{[0-9.]+}}. TPRT_OPTIONS takes name=value
// CHECK-NEXT: count=GLOB
// CHECK-NEXT: time=GLOB
// CHECK-NEXT: print=GLOB
// CHECK-NEXT: record=FILE:GLOB
// CHECK-NEXT: mode=all|newest|full {{.*}}size=
// CHECK-NEXT: args=N {{.*}}results=1; strings=
// CHECK-NEXT: not=GLOB
// CHECK-NEXT: sort=KEY
// CHECK-NEXT: top=N
// CHECK-NEXT: format=text|csv|json
// CHECK-NEXT: names=short|full|linked
// CHECK-NEXT: width=N
// CHECK-NEXT: output=FILE
// CHECK-NEXT: signal=NAME
// CHECK-NEXT: traps=0|1
// CHECK-NEXT: code=0|1 {{.*}}signals, uprobes, skip
// CHECK-NEXT: perf=0|1 {{.*}}gdb=1
// CHECK-NEXT: usdt=0|1 {{.*}}control=1
// CHECK-NEXT: verbose=0|1|2
// CHECK-NEXT: help=1
//
// On one screen of 80 columns.
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS=help=1 %t 2>%t.help
// RUN: %python -c "lines = open('%t.help').read().splitlines(); print(len(lines) <= 24 and max(map(len, lines)) <= 80)" \
// RUN:   | FileCheck %s --check-prefix=SCREEN
// SCREEN: True
int main() {}
