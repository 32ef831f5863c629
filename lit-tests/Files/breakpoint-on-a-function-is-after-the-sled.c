// If this fails, a debugger's breakpoint on a function stops at
// another line, or in the sled, where arguments are not yet stored
// at -O0. Or the debugger's "finish" fails at an exit sled.
// REQUIRES: gdb, x86_64-host
// DEFINE: %{sleds} = -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit
// DEFINE: %{level} = -O0
// DEFINE: %{check} = rm -rf %t && mkdir %t && cd %t && %clang -g %{level} %{sleds} %s -o out && \
// DEFINE:   gdb -nx -batch -ex "break callee" -ex run -ex finish -ex "break *callee" -ex continue -ex continue out 2>&1 | FileCheck %s
// RUN: %{check}
// REDEFINE: %{level} = -O0 -gsplit-dwarf
// RUN: %{check}
// REDEFINE: %{level} = -O2
// RUN: %{check}
// REDEFINE: %{level} = -O0 -fcf-protection=branch
// REDEFINE: %{sleds} = -fplugin-arg-tp-entry=9,3 -fplugin-arg-tp-exit
// RUN: %{check}
// CHECK: Breakpoint 1, {{.*}}callee (X={{(X@entry=)?}}20) at {{.*}}:[[@LINE+12]]
// CHECK: main
// CHECK: Value returned is $1 = 41
// CHECK: Breakpoint 2, {{.*}}callee (X={{.*}}) at {{.*}}:[[@LINE+8]]
// CHECK: Breakpoint 1, {{.*}}callee (X={{(X@entry=)?}}21) at {{.*}}:[[@LINE+8]]
volatile int Sink;
__attribute__((noinline)) int deeper(int X) {
  Sink = X;
  return X;
}

__attribute__((noinline)) int callee(int X) {
  int Y = deeper(X + 1);
  return Y + X;
}
int main(void) { return callee(20) + callee(21) == 0; }
