// For each line of standard input two new threads and this one call step(), and
// step() calls leaf().
#include <pthread.h>
#include <stdio.h>

__attribute__((noinline)) long leaf(long n) {
  __asm__ volatile("" : "+r"(n));
  return n + 1;
}

__attribute__((noinline)) long step(long n) {
  long sum = 0;
  for (long i = 0; i < n; ++i)
    sum = leaf(sum);
  return sum;
}

static void *work(void *n) {
  step((long)n);
  return NULL;
}

int main(void) {
  char line[64];
  puts("ready");
  fflush(stdout);
  while (fgets(line, sizeof line, stdin)) {
    pthread_t threads[2];
    for (int i = 0; i < 2; ++i)
      pthread_create(&threads[i], NULL, work, (void *)100);
    step(50);
    for (int i = 0; i < 2; ++i)
      pthread_join(threads[i], NULL);
    puts("done");
    fflush(stdout);
  }
  return 0;
}
