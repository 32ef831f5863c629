// With verbose=0 only the tables are printed. Errors in options before or after verbose=0 are not
// reported.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s -o %t
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so "TPRT_OPTIONS=cuont=x count=nothing_like_it verbose=0" %t 2>&1 | FileCheck %s --allow-empty
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so "TPRT_OPTIONS=cuont=x count=main verbose=0 output=/nonexistent/x" %t 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TABLE
//
// CHECK-NOT: {{.}}
// TABLE-NOT: {{.}}
// TABLE: tprt: 1 call of 1 function
int main() {}
