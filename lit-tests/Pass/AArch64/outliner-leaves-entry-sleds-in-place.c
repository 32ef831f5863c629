// If this fails, the machine outliner moves the nops of entry sleds to an outlined
// function. The records then point at a call of that function, and a probe overwrites the call.
// DEFINE: %{flags} =
// DEFINE: %{n} = 1
// DEFINE: %{check} = %clang --target=aarch64-linux-gnu -fplugin-arg-tp-entry=%{n} %{flags} -c %s -o %t.o && \
// DEFINE:            llvm-objdump -d --no-show-raw-insn %t.o | FileCheck %s --check-prefixes=CHECK,N%{n}
// REDEFINE: %{flags} = -Oz
// RUN: %{check}
// REDEFINE: %{flags} = -O2 -moutline
// RUN: %{check}
// REDEFINE: %{flags} = -O2 -DSMALL=minsize
// RUN: %{check}
// REDEFINE: %{n} = 2
// RUN: %{check}
// REDEFINE: %{n} = 4
// REDEFINE: %{flags} = -Oz
// RUN: %{check}
// CHECK-LABEL: <f0>:
// N1-NEXT:  nop
// N2-NEXT:  nop
// N2-NEXT:  nop
// N4-NEXT:  nop
// N4-NEXT:  nop
// N4-NEXT:  nop
// N4-NEXT:  nop
// CHECK:       {{bl?}} {{.*}}<OUTLINED_FUNCTION
// CHECK-LABEL: <f1>:
// N1-NEXT:  nop
// N2-NEXT:  nop
// N2-NEXT:  nop
// N4-NEXT:  nop
// N4-NEXT:  nop
// N4-NEXT:  nop
// N4-NEXT:  nop
// CHECK-LABEL: <OUTLINED_FUNCTION_0>:
// CHECK-NOT:   nop
#ifndef SMALL
#define SMALL
#endif
#define F(N)                                                                             \
  __attribute__((SMALL)) int f##N(int A, int B, int *P) {                                \
    int T = ((A * B) ^ (A + B * 7)) * (A - B) + (A | B) * (A & B);                       \
    *P = T;                                                                              \
    return (T ^ N) * (N + 3);                                                            \
  }
F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7) F(8) F(9) F(10) F(11) F(12) F(13) F(14) F(15)
