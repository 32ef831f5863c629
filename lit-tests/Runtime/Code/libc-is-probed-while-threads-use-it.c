// All functions of the C library are attached to and detached from, while threads sort, format, allocate
// and compare strings by it. Results stay right, and each counted function of the library is counted.
// libtprt itself calls functions of this library inside a hit.
//
// RUN: gcc -O1 %s %tprt_flags -o %t -pthread
// RUN: %t | FileCheck %s
//
// CHECK: 10 attaches and detaches, 0 failed, 0 wrong results
// CHECK-NEXT: 1000 calls of strtol, 1000 counted
#include "../Inputs/harness.h"
#include <pthread.h>
#include <string.h>

static volatile int ended;
static int wrong;

static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static void *work(void *seed) {
  unsigned state = (unsigned)(size_t)seed;
  while (!ended) {
    int numbers[64];
    for (int i = 0; i < 64; ++i)
      numbers[i] = (int)(rand_r(&state) % 1000);
    qsort(numbers, 64, sizeof *numbers, compare);
    for (int i = 1; i < 64; ++i)
      if (numbers[i - 1] > numbers[i])
        __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
    char *text = malloc(64), *copy;
    snprintf(text, 64, "%d/%s/%x", numbers[3], "abc", (unsigned)numbers[7]);
    copy = strdup(text);
    if (strcmp(text, copy) != 0 || strtol(copy, NULL, 10) != numbers[3])
      __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
    free(copy);
    free(text);
  }
  return NULL;
}

int main(void) {
  pthread_t threads[3];
  for (size_t i = 0; i < 3; ++i)
    pthread_create(&threads[i], NULL, work, (void *)(i + 1));
  tprt_selector all = {.function = "*", .module = "*/libc.so*", .kinds = TPRT_KIND_SET_ALL,
                       .flags = TPRT_SELECT_CODE | TPRT_SELECT_LOADED};
  int failed = 0;
  for (int i = 0; i < 10; ++i) {
    static int hits;
    tprt_action action = {.kind = TPRT_ACTION_COUNT};
    if (i % 2)
      action = (tprt_action){.kind = TPRT_ACTION_CALL, .handler = ignoreHit, .data = &hits,
                             .flags = TPRT_HANDLER_GENERAL_REGS_ONLY};
    tprt_probe *probe = NULL;
    tprt_status status = tprt_probe_attach(&all, &action, &probe, NULL);
    failed += status != TPRT_STATUS_OK && status != TPRT_STATUS_PARTIAL;
    usleep(30000);
    failed += tprt_probe_detach(probe, -1) != TPRT_STATUS_OK;
  }
  ended = 1;
  for (size_t i = 0; i < 3; ++i)
    pthread_join(threads[i], NULL);
  printf("10 attaches and detaches, %d failed, %d wrong results\n", failed, wrong);
  tprt_selector one = {.function = "strtol", .module = "*/libc.so*", .kinds = TPRT_KIND_SET_ENTRY, .flags = TPRT_SELECT_CODE};
  tprt_probe *probe = attachSelected(one, (tprt_action){.kind = TPRT_ACTION_COUNT});
  volatile long sum = 0;
  for (int i = 0; i < 1000; ++i)
    sum += strtol("12", NULL, 10);
  printf("1000 calls of strtol, %llu counted\n", (unsigned long long)tprt_probe_count(probe));
  return 0;
}
