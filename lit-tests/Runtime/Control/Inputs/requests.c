// For each line on standard input, a worker thread handles a request: the line has the number of
// milliseconds for which the thread waits for a lock. The main thread waits for the worker.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define NOINLINE __attribute__((noinline))
NOINLINE void parse(int x) { __asm__ volatile("" ::"r"(x)); }
NOINLINE void awaitLock(int milliseconds) {
  struct timespec span = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
  nanosleep(&span, NULL);
}
NOINLINE void handle(int milliseconds) {
  parse(milliseconds);
  awaitLock(milliseconds);
  parse(milliseconds);
}
static void *work(void *data) {
  handle(*(int *)data);
  return NULL;
}

int main(void) {
  char line[100];
  setvbuf(stdout, NULL, _IOLBF, 0);
  setvbuf(stdin, NULL, _IONBF, 0);
  while (fgets(line, sizeof line, stdin)) {
    int milliseconds = atoi(line);
    pthread_t worker;
    pthread_create(&worker, NULL, work, &milliseconds);
    pthread_join(worker, NULL);
    puts("done");
  }
}
