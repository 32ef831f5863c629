// For each line on standard input that is a number n, calls step() from several places: n times from few(), 2 n times from
// often(), n times from apply(), which has no sleds, and 5 times from step() itself. Half of the calls from often() come
// from part(), which is inlined there. many() calls leaf() once from each of 5000 places.
#include <stdio.h>

#define NOINLINE __attribute__((noinline))
static volatile int sink;
NOINLINE void leaf(void) { ++sink; }
NOINLINE void step(int depth) {
  if (depth > 0)
    step(depth - 1);
  ++sink;
}

NOINLINE void few(int n) {
  for (int i = 0; i < n; ++i) {
    step(0);
    ++sink;
  }
}
static inline __attribute__((always_inline)) void part(void) {
  step(0);
  ++sink;
}
NOINLINE void often(int n) {
  for (int i = 0; i < n; ++i) {
    part();
    step(0);
    ++sink;
  }
}
__attribute__((noinline, tp_never)) void apply(void (*of)(int), int n) {
  for (int i = 0; i < n; ++i) {
    of(0);
    ++sink;
  }
}

#define TEN(x) x x x x x x x x x x
NOINLINE void many(void) { TEN(TEN(TEN(leaf(); leaf(); leaf(); leaf(); leaf();))) }

int main(void) {
  int n;
  setvbuf(stdout, NULL, _IOLBF, 0);
  setvbuf(stdin, NULL, _IONBF, 0);
  while (scanf("%d", &n) == 1) {
    few(n);
    often(n);
    apply(step, n);
    step(5);
    many();
    puts("done");
  }
}
