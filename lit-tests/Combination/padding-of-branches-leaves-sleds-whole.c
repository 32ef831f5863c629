// If this fails, an assembler that keeps branches off 32-byte boundaries puts nops between a
// record's address and the return, or puts prefixes before an entry sled.
// REQUIRES: lld
// DEFINE: %{pad} =
// DEFINE: %{level} = -O2
// DEFINE: %{check} = %clang %{level} %{pad} -fcf-protection=full -fplugin-arg-tp-entry=2 -fplugin-arg-tp-exit \
// DEFINE:            -fPIC -shared -nostdlib %use_lld %s -o %t.so && %check_linked --max=0 %t.so | FileCheck %s
// CHECK: records
// REDEFINE: %{pad} = -malign-branch-boundary=32 -malign-branch=ret,jcc,jmp,fused,call,indirect
// RUN: %{check}
// REDEFINE: %{pad} = -malign-branch-boundary=32 -malign-branch=ret,jcc,jmp,fused,call,indirect -mpad-max-prefix-size=5
// RUN: %{check}
// REDEFINE: %{pad} = -mbranches-within-32B-boundaries -mpad-max-prefix-size=5
// RUN: %{check}
// REDEFINE: %{pad} = -malign-branch-boundary=32 -malign-branch=ret,jcc,jmp,fused,call,indirect -mpad-max-prefix-size=5 -mllvm -x86-pad-for-align=1
// RUN: %{check}
// REDEFINE: %{pad} = -fno-integrated-as -Wa,-mbranches-within-32B-boundaries
// RUN: %{check}
// REDEFINE: %{level} = -Oz
// RUN: %{check}
// REDEFINE: %{pad} = -malign-branch-boundary=32 -malign-branch=ret,jcc,jmp,fused,call,indirect -mpad-max-prefix-size=5
// RUN: %{check}
int g(int);
extern int V[64];
#define ONE(N)                                                                           \
  int a##N(int X) { V[X] = N; return X * N; }                                            \
  int b##N(int (*F)(void)) { return F(); }                                               \
  int c##N(int X) { while (g(X)) X++; return g(X + N) + 1; }                             \
  int d##N(int X) { if (X > N) return g(1) + X; V[N] = X; return 3; }                    \
  int e##N(void) { return N; }
#define FIVE(N) ONE(N##0) ONE(N##1) ONE(N##2) ONE(N##3) ONE(N##4)
FIVE(1) FIVE(2) FIVE(3) FIVE(4) FIVE(5) FIVE(6)
