// The first thread ends, and a second one continues. The second thread prints "ready" once the kernel no
// longer shows the first one. Then, for each line on standard input that is a number, the second thread
// calls leaf() that many times and prints "done".
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((noinline)) int leaf(int x) { __asm__ volatile("" : "+r"(x)); return x + 1; }
static pthread_t first;
static void *goOn(void *unused) {
  char line[100];
  int sum = 0;
  pthread_join(first, NULL);
  while (readlink("/proc/self/exe", line, 1) == 1)
    usleep(1000);
  setvbuf(stdout, NULL, _IOLBF, 0);
  setvbuf(stdin, NULL, _IONBF, 0);
  puts("ready");
  while (fgets(line, sizeof line, stdin)) {
    for (int i = atoi(line); i > 0; --i)
      sum = leaf(sum);
    puts("done");
  }
  exit(sum == 1);
  return unused;
}
int main(void) {
  pthread_t thread;
  first = pthread_self();
  if (pthread_create(&thread, NULL, goOn, NULL))
    return 1;
  pthread_exit(NULL);
}
