// If this fails, code generation at the link moves the nops of sleds to outlined functions.
// REQUIRES: lld
// DEFINE: %{lto} = -flto
// DEFINE: %{link} = %clang --target=aarch64-linux-gnu -Oz %{lto} -fplugin-arg-tp-entry=2 -fplugin-arg-tp-exit \
// DEFINE:           -shared -nostdlib %use_lld -Wl,--load-pass-plugin=%passplugin %s -o %t.so
// DEFINE: %{check} = %check_linked --max=100 %t.so | FileCheck %s && \
// DEFINE:            llvm-objdump -d %t.so | FileCheck %s --check-prefix=OUTLINED
// RUN: %{link}
// RUN: %{check}
// REDEFINE: %{lto} = -flto=thin
// RUN: %{link}
// RUN: %{check}
// CHECK: 32 records
// CHECK: entry f0
// CHECK: exit f0
// OUTLINED: <OUTLINED_FUNCTION_0>:
#define F(N)                                                                             \
  int f##N(int A, int B, int *P) {                                                       \
    int T = ((A * B) ^ (A + B * 7)) * (A - B) + (A | B) * (A & B);                       \
    *P = T;                                                                              \
    return (T ^ N) * (N + 3);                                                            \
  }
F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7) F(8) F(9) F(10) F(11) F(12) F(13) F(14) F(15)
