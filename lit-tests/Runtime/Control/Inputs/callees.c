/* Each line of input is a number of calls of request(). request() calls direct() and, through a
 * pointer, pointed(), and these call further functions. noise() calls others. A line `deep N` starts a
 * recursion of N calls. */
#include <stdio.h>
#include <stdlib.h>

#define APART __attribute__((noinline))
APART int leaf(int i) { volatile int r = i * 3; return r; }
APART int other(int i) { volatile int r = leaf(i); return r + 1; }
APART int direct(int i) { volatile int r = leaf(i); return r + 2; }
APART int pointed(int i) { volatile int r = i + 7; return r; }
static int (*volatile by_pointer)(int) = pointed;
APART int request(int i) {
  volatile int r = direct(i);
  r += by_pointer(i);
  return r;
}
APART int noise(int i) {
  volatile int r = other(i);
  r += leaf(i);
  return r;
}
APART int deep(int n) {
  volatile int r = n ? deep(n - 1) : 0;
  return r + 1;
}

int main(int argc, char **argv) {
  char line[32];
  for (int rest = argc > 1 ? atoi(argv[1]) : 0; rest; --rest)
    noise(request(rest));
  while (argc == 1 && fgets(line, sizeof line, stdin)) {
    int isDeep = line[0] == 'd', count = atoi(line + (isDeep ? 5 : 0));
    for (int i = 0; i < count && !isDeep; ++i)
      noise(request(i));
    if (isDeep)
      deep(count);
    puts("done");
    fflush(stdout);
  }
  return 0;
}
