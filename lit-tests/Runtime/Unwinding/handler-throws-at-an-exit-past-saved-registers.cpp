// Stub and handler overwrite the words that a function has popped before its exit. When
// the handler throws an exception, the unwinder must not read the caller's registers from
// these words.
//
// RUN: %clangxx -O2 -fplugin-arg-tp-exit %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
// RUN: %clangxx -O2 -fplugin-arg-tp-exit -fno-omit-frame-pointer %s %tprt_flags -o %t.frames
// RUN: %t.frames | FileCheck %s
// RUN: %clangxx -O2 -fplugin-arg-tp-exit -DTAIL %s %tprt_flags -o %t.tails
// RUN: %t.tails | FileCheck %s
// RUN: %clangxx -O2 -fplugin-arg-tp-exit -DTAIL -fno-omit-frame-pointer %s %tprt_flags -o %t.frames.tails
// RUN: %t.frames.tails | FileCheck %s
//
// CHECK: 1000 caught, 0 wrong
#include "../Inputs/harness.h"
#include <cstdio>

[[tp::never]] static void onHit(const tprt_event *, const tprt_regs *, void *) { throw 7; }
[[tp::never, gnu::noinline]] static long next(long x) {
  __asm__ volatile("" : "+r"(x));
  return x + 1;
}
static long (*volatile mayThrow)(long) = next;
// Keeps values in all callee-saved registers. They differ from its caller's values.
#ifdef TAIL
#define LEAVE(X) return mayThrow(X)
#else
#define LEAVE(X) return X
#endif
[[gnu::noinline]] long traced(long a, long b) {
  long c = mayThrow(a), d = mayThrow(c), e = mayThrow(d), f = mayThrow(e), g = mayThrow(f);
  mayThrow(g);
  LEAVE(a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g);
}
[[tp::never, gnu::noinline]] static bool isRight(long i) {
  long a = mayThrow(i), b = mayThrow(a), c = mayThrow(b), d = mayThrow(c), e = mayThrow(d);
  try {
    traced(i, 99);
  } catch (int) {
    mayThrow(0);
    return a == i + 1 && b == i + 2 && c == i + 3 && d == i + 4 && e == i + 5;
  }
  return false;
}

[[tp::never]] int main() {
  attach("traced*", TPRT_KIND_SET_EXIT, {.handler = onHit});
  int wrong = 0;
  for (long i = 0; i < 1000; ++i)
    wrong += !isRight(i);
  std::printf("1000 caught, %d wrong\n", wrong);
}
