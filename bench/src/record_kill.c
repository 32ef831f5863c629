/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Two recorded threads that run until the program is killed. Each thread
 * counts, in a mapped file, the entries and exits that must be in its
 * recording: an entry's event is stored before the function's body runs,
 * and an exit's event before the caller continues. The argument is that
 * file, which gets two numbers per thread. The threads' names are kill-0
 * and kill-1.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { THREADS = 2 };
struct happened {
  uint64_t entries, exits;
  uint64_t other_line[6];
};

__attribute__((noinline)) void kill_target(uint64_t volatile *entries,
                                           uint64_t number) {
  *entries = number;
}

static void *run(void *counts) {
  struct happened volatile *happened = counts;
  for (uint64_t i = 1;; ++i) {
    kill_target(&happened->entries, i);
    happened->exits = i;
  }
  return NULL;
}

static void *begin(void *counts) {
  prctl(PR_SET_NAME, "kill-1");
  return run(counts);
}

int main(int count, char **arguments) {
  int file = count > 1 ? open(arguments[1], O_RDWR | O_CREAT, 0600) : -1;
  if (file < 0 || ftruncate(file, THREADS * sizeof(struct happened)) != 0)
    return 1;
  struct happened *counts = mmap(NULL, THREADS * sizeof(struct happened),
                                 PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  pthread_t thread;
  if (counts == MAP_FAILED)
    return 1;
  prctl(PR_SET_NAME, "kill-0");
  if (pthread_create(&thread, NULL, begin, counts + 1) != 0)
    return 1;
  puts("begun");
  fflush(stdout);
  run(counts);
}
