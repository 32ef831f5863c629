// 96 processes, of which eight at a time end at the same moment, and their parent. Each
// process prints a table of 66 functions, 64 of which have long names.
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#define F(n) __attribute__((noinline)) void a_function_with_a_long_name_so_that_the_table_is_large_##n(void) { __asm__ volatile(""); }
#define C(n) a_function_with_a_long_name_so_that_the_table_is_large_##n();
#define EIGHT(X, n) X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7)
#define ALL(X) EIGHT(X, 1) EIGHT(X, 2) EIGHT(X, 3) EIGHT(X, 4) EIGHT(X, 5) EIGHT(X, 6) EIGHT(X, 7) EIGHT(X, 8)
ALL(F)

// Eight children wait until all eight have started, and then end.
__attribute__((noinline)) void round_of_children(void) {
  int go[2];
  char none;
  if (pipe(go))
    abort();
  for (int i = 0; i < 8; ++i)
    if (fork() == 0) {
      close(go[1]);
      exit(read(go[0], &none, 1) != 0);
    }
  close(go[0]);
  close(go[1]);
  while (wait(0) > 0)
    ;
}

int main(void) {
  ALL(C)
  for (int i = 0; i < 12; ++i)
    round_of_children();
}
