// A point in a function that is inlined into work(), which main() calls
// three times. The tests name the lines of three functions for that point.
#include <tprt/trace.h>
TPRT_POINT(step);
static inline __attribute__((always_inline)) int inner(int n) {
  TPRT_TRACE(step, "n=%d", n);
  return n * 3;
}
__attribute__((noinline)) static int work(int n) {
  __asm__ volatile("");
  return inner(n) + 1;
}
int main(void)
{ // The first line of the code differs from the line of the declaration.
  int sum = 0;
  for (int i = 0; i < 3; ++i)
    sum += work(i);
  return sum == 99;
}
