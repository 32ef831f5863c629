// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program's own malloc and free call the C library's, and count blocks under a lock. There is no calloc of
// its own. The program computes in malloc and free most of the time, until the second process has read the end
// of the standard input. A thread has ended before: the C library reuses that thread's stack for the next
// thread, and calls free for that.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

extern void *__libc_malloc(size_t bytes);
extern void __libc_free(void *block);
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long blocks;

static void count(long change) {
  pthread_mutex_lock(&lock);
  for (volatile int n = 0; n < 5000; ++n) {
  }
  blocks += change;
  pthread_mutex_unlock(&lock);
}

void *malloc(size_t bytes) {
  count(1);
  return __libc_malloc(bytes);
}

void free(void *block) {
  count(-(block != NULL));
  __libc_free(block);
}

static void *nothing(void *unused) { return unused; }

int main(void) {
  volatile int *over = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pthread_t thread;
  pthread_create(&thread, NULL, nothing, NULL);
  pthread_join(thread, NULL);
  if (fork() == 0) {
    char byte;
    while (read(0, &byte, 1) == 1) {
    }
    *over = 1;
    _exit(0);
  }
  close(0);
  puts("ready");
  fflush(stdout);
  long before = blocks;
  void *volatile block;
  while (!*over) {
    block = malloc(100);
    free(block);
  }
  printf("%ld blocks left\n", blocks - before);
  return 0;
}
