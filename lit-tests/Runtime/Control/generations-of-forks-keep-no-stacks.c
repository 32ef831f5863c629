// Each child of fork starts its own control, which reuses the stacks of its parent's control. Otherwise, if
// children fork as well, the stacks would fill the address space, with 16 MB per generation.
//
// RUN: gcc -O1 %s -o %t
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS=control=1 %t | FileCheck %s
//
// CHECK: mappings more after 6 generations: 0
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int mappings(void) {
  FILE *file = fopen("/proc/self/maps", "r");
  int lines = 0;
  for (int c; (c = getc(file)) != EOF;)
    lines += c == '\n';
  fclose(file);
  return lines;
}

int main(void) {
  int before = 0;
  for (int generation = 0; generation < 7; ++generation) {
    pid_t child = fork();
    int status = 1;
    if (child)
      return waitpid(child, &status, 0) != child || status;
    if (generation == 0)
      before = mappings();
  }
  printf("mappings more after 6 generations: %d\n", mappings() - before);
  return 0;
}
