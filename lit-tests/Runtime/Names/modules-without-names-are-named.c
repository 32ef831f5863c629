// A pattern finds nothing in a stripped program. The message gives the reason and the
// remedy.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s -o %t
// RUN: llvm-strip %t
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS=count=main %t 2>&1 | FileCheck %s
// RUN: %tp_clang -O2 -ftp-entry=2,0 -ftp-names %s -o %t.names
// RUN: llvm-strip %t.names
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS=count=main %t.names 2>&1 | FileCheck %s --check-prefix=NAMES
//
// CHECK: {{modules-without.*: (no names|stripped).*}}-ftp-names
// CHECK: nothing was counted by count=main: the only site does not match main so far: no function with sleds of {{.*}}modules-without{{.*}} has a name; was it stripped? Compile with -ftp-names, or select by module
// NAMES-NOT: stripped
// NAMES: 1 main
int main() {}
