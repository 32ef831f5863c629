// If this fails, a thread may execute a half-written jump: the 5 bytes must lie in one
// aligned 8-byte word, whatever precedes them.
// DEFINE: %{flags} =
// DEFINE: %{check} = %clang -fplugin-arg-tp-entry=5 %{flags} -c %s -o %t.o && \
// DEFINE:   llvm-objdump -d %t.o | FileCheck %s
// RUN: %{check}
// REDEFINE: %{flags} = -O2 -fcf-protection
// RUN: %{check}
// REDEFINE: %{flags} = -Os
// RUN: %{check}
// REDEFINE: %{flags} = -Oz -fcf-protection
// RUN: %{check}
// REDEFINE: %{flags} = -O2 -falign-functions=32 -fcf-protection
// RUN: %{check}
// REDEFINE: %{flags} = -O2 -fsanitize=function -fcf-protection
// RUN: %{check}
// REDEFINE: %{flags} = -O2 -fsanitize=kcfi
// RUN: %{check}
// CHECK: <f>:
// CHECK: {{[01289ab3]}}: 0f 1f 44 00 00 nopl
// CHECK: <g>:
// CHECK: {{[01289ab3]}}: 0f 1f 44 00 00 nopl
int f(int X) { return X + 1; }
int g(int X) { return f(X) + 1; }
