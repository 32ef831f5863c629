// Calls work() in threads that begin together, and prints how often.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 256 };
static long calls[MOST], each;
static pthread_barrier_t begin;

__attribute__((noinline)) long work(long n) {
  __asm__ volatile("" : "+r"(n)::"memory");
  return n * 3;
}

static void *go(void *of) {
  long number = (long)of;
  pthread_barrier_wait(&begin);
  for (long i = 0; i < each; ++i, ++calls[number])
    if (work(i % 10) != i % 10 * 3)
      puts("a wrong result");
  return NULL;
}

int main(int argc, char **argv) {
  pthread_t threads[MOST];
  long count = atol(argv[1]), sum = 0;
  each = argc > 2 ? atol(argv[2]) : 1000;
  pthread_barrier_init(&begin, NULL, (unsigned)count);
  for (long i = 0; i < count; ++i)
    if (pthread_create(&threads[i], NULL, go, (void *)i))
      return 1;
  for (long i = 0; i < count; ++i)
    pthread_join(threads[i], NULL);
  for (long i = 0; i < count; ++i)
    sum += calls[i];
  printf("calls: %ld\n", sum);
  return 0;
}
