// If this fails, a debugger does not show arguments at the entry label (clang's own
// -fpatchable-function-entry has that fault), or a backtrace does not show the arguments
// with which a function was called.
// REQUIRES: gdb, x86_64-host
// DEFINE: %{sleds} = -fplugin-arg-tp-entry=2,0
// DEFINE: %{check} = %clang -g -O2 %{sleds} %s -o %t && \
// DEFINE:   gdb -nx -batch -ex "break *callee" -ex "break inner" -ex run -ex continue -ex up %t 2>&1 | FileCheck %s
// RUN: %{check}
// REDEFINE: %{sleds} = -fplugin-arg-tp-entry=9,3 -fplugin-arg-tp-exit
// RUN: %{check}
// CHECK: Breakpoint 1, {{.*}}callee (X=X@entry=20) at
// CHECK: Breakpoint 2, {{.*}}inner (
// CHECK: callee (X=X@entry=20) at
__attribute__((noinline)) void inner(void) { __asm__ volatile(""); }
__attribute__((noinline)) int callee(int X) {
  inner();
  return X + 1;
}
int main(void) { return callee(20) != 21; }
