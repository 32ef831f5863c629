// For each line "THREADS CALLS" on standard input, starts THREADS threads and numbers them from 0.
// Thread i calls step() (i + 1) * CALLS times, calls spin() for each of many lengths, and ends. Up to
// 180 threads run at the same time; more threads start one after the other. Then prints each thread's
// number.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))
NOINLINE int leaf(int x) { __asm__ volatile("" : "+r"(x)); return x + 1; }
NOINLINE int step(int x) { return leaf(x) + leaf(x + 1); }
NOINLINE void spin(int turns) {
  for (; turns > 0; --turns)
    __asm__ volatile("");
}

enum { MOST = 1000, TOGETHER = 180 };
static int threads, calls;
static pid_t number[MOST];
static pthread_barrier_t begun, done;

static void *work(void *data) {
  long which = (long)data;
  int sum = 0;
  number[which] = gettid();
  if (threads <= TOGETHER)
    pthread_barrier_wait(&begun);
  for (long i = (which + 1) * calls; i > 0; --i)
    sum = step(sum);
  for (double turns = 1; turns < 100000; turns *= 1.045)
    spin((int)turns);
  if (threads <= TOGETHER)
    pthread_barrier_wait(&done);
  return (void *)(long)sum;
}

int main(void) {
  pthread_t of[MOST];
  setvbuf(stdout, NULL, _IOLBF, 0);
  setvbuf(stdin, NULL, _IONBF, 0);
  while (scanf("%d %d", &threads, &calls) == 2 && threads <= MOST) {
    pthread_barrier_init(&begun, NULL, (unsigned)threads);
    pthread_barrier_init(&done, NULL, (unsigned)threads);
    for (long i = 0; i < threads; ++i) {
      pthread_create(&of[i], NULL, work, (void *)i);
      if (threads > TOGETHER)
        pthread_join(of[i], NULL);
    }
    for (long i = 0; i < threads; ++i) {
      if (threads <= TOGETHER)
        pthread_join(of[i], NULL);
      printf("%d ", number[i]);
    }
    puts("");
  }
}
