// Functions of many kinds, whose results are checked. There are 63 calls, including main.
// With SHADOW_CALL_STACK, main sets up a shadow call stack.
#include <stdarg.h>
#include <stdio.h>

#define TRACED __attribute__((noinline))
#define HIDE(X) __asm__ volatile("" : "+r"(X))

struct Pair { long A; double B; };
struct Big { long A[9]; };

TRACED int leaf(int X) { HIDE(X); return X + 1; }
TRACED int early(int X) { // its first return has no frame
  HIDE(X);
  if (X < 5)
    return 0;
  volatile char Buffer[4000];
  for (int I = 0; I < 4000; I += 100)
    Buffer[I] = (char)leaf(X);
  return Buffer[100];
}
TRACED int tail(int X) { HIDE(X); return leaf(X + 1); }
TRACED int indirect(int X, int (*F)(int)) { HIDE(X); return F(X); }
TRACED double floating(double X, float Y, int Z) { HIDE(Z); return X * Y + Z; }
TRACED long many(long A, long B, long C, long D, long E, long F, long G, long H) {
  HIDE(A);
  return A + 2 * B + 3 * C + 4 * D + 5 * E + 6 * F + 7 * G + 8 * H;
}
TRACED struct Pair pair(long X, double Y) { HIDE(X); return (struct Pair){X + 1, Y + 1}; }
TRACED struct Big big(long X) { HIDE(X); return (struct Big){{X, 2, 3, 4, 5, 6, 7, 8, X}}; }
TRACED __int128 wide(__int128 X) { long L = X; HIDE(L); return X << 64 | (unsigned long)L; }
#ifdef NO_LONG_DOUBLE
#define EXTENDED double
#else
#define EXTENDED long double
#endif
TRACED EXTENDED extended(EXTENDED X) { int Z = 1; HIDE(Z); return X + Z; }
TRACED int redzone(int X) { // its variables lie below the stack pointer
  volatile int A[8] = {X, X + 1};
  return A[0] + A[1];
}
TRACED int redzoneTail(int X) {
  volatile int A[8] = {X, X + 1};
  return leaf(A[0] + A[1]);
}
TRACED int recursive(int X) {
  int Below = X ? recursive(X - 1) : 0;
  HIDE(Below); // or it becomes a loop
  return Below + X;
}
TRACED int variadic(int N, ...) {
  va_list Args;
  va_start(Args, N);
  double Sum = 0;
  for (int I = 0; I < N; ++I)
    Sum += va_arg(Args, int) + va_arg(Args, double);
  va_end(Args);
  return (int)Sum;
}

static int Faults;
static void expect(int Good, const char *What) __attribute__((tp_never));
static void expect(int Good, const char *What) {
  if (!Good)
    ++Faults, printf("wrong: %s\n", What);
}

#ifdef SHADOW_CALL_STACK
static void *Stack[1000];
#define main __attribute__((no_sanitize("shadow-call-stack"))) main
#endif

int main(void) {
#ifdef SHADOW_CALL_STACK
  __asm__ volatile("mov x18, %0" ::"r"(Stack) : "memory");
#endif
  int (*volatile Pointer)(int) = leaf;
  expect(leaf(1) == 2, "leaf");
  expect(early(1) == 0 && early(10) == 11, "early");
  expect(tail(1) == 3, "tail");
  expect(indirect(1, Pointer) == 2, "indirect");
  expect(floating(2, 3, 4) == 10, "floating");
  expect(many(1, 2, 3, 4, 5, 6, 7, 8) == 204, "many");
  struct Pair P = pair(1, 2);
  expect(P.A == 2 && P.B == 3, "pair");
  struct Big B = big(7);
  expect(B.A[0] == 7 && B.A[4] == 5 && B.A[8] == 7, "big");
  expect(wide(5) == ((__int128)5 << 64 | 5), "wide");
  expect(extended(2) == 3, "extended");
  expect(redzone(3) == 7 && redzoneTail(3) == 8, "redzone");
  expect(recursive(4) == 10, "recursive");
  expect(variadic(2, 1, 2.0, 3, 4.0) == 10, "variadic");
  if (!Faults)
    puts("all right");
  return Faults;
}
