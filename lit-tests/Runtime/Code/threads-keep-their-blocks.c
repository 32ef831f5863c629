// The C library calls madvise() for a thread's stack after the last round of key destructors. A hit in madvise() sets
// libtprt's key once more, and the next thread that gets the stack finds that value. When that thread ends, it must not
// free the block, which by then belongs to another thread. Two threads with one block would lose counts, and write to
// memory of others.
//
// RUN: gcc -O1 -pthread %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: 1 hit after the destructors
// CHECK-NEXT: the first thread's error: {{.*}}absent_first{{.*}}
#define _GNU_SOURCE
#include "../Inputs/harness.h"
#include <errno.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_barrier_t barrier;
static volatile int hits;

static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {
  (void)event, (void)regs, (void)data;
  ++hits;
}

// This call fails, so that the calling thread's block has an error text.
static void miss(const char *name) {
  tprt_selector selector = {.function = name, .kinds = TPRT_KIND_SET_ENTRY, .module = "*/threads-keep*",
                            .flags = TPRT_SELECT_CODE | TPRT_SELECT_LOADED};
  tprt_action action = {.kind = TPRT_ACTION_COUNT};
  tprt_probe *probe = NULL;
  tprt_probe_attach(&selector, &action, &probe, NULL);
}

static void *first(void *unused) {
  pthread_barrier_wait(&barrier);
  pthread_barrier_wait(&barrier);
  miss("absent_first");
  pthread_barrier_wait(&barrier);
  pthread_barrier_wait(&barrier);
  printf("the first thread's error: %s\n", tprt_error_string());
  return unused;
}
static void *nothing(void *id) {
  *(long *)id = syscall(SYS_gettid);
  return NULL;
}
static void *other(void *unused) {
  miss("absent_other");
  return unused;
}

// Starts a thread, and waits until the thread is gone from the kernel.
static void run(void *(*body)(void *), void *data) {
  pthread_t thread;
  pthread_create(&thread, NULL, body, data);
  pthread_join(thread, NULL);
}
static void runNothing(void) {
  long id = 0;
  run(nothing, &id);
  while (syscall(SYS_tgkill, getpid(), id, 0) == 0 || errno != ESRCH)
    usleep(1000);
}

int main(void) {
  pthread_t one;
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_create(&one, NULL, first, NULL); // its stack differs from those below
  pthread_barrier_wait(&barrier);
  tprt_selector selector = {.function = "madvise", .kinds = TPRT_KIND_SET_ENTRY, .module = "*/libc.so*",
                            .flags = TPRT_SELECT_CODE | TPRT_SELECT_LOADED};
  tprt_action action = {.handler = onHit};
  tprt_probe *probe = NULL;
  if (tprt_probe_attach(&selector, &action, &probe, NULL) != TPRT_STATUS_OK)
    return puts(tprt_error_string());
  runNothing();
  tprt_probe_detach(probe, -1);
  printf("%d hit after the destructors\n", hits);
  pthread_barrier_wait(&barrier);
  pthread_barrier_wait(&barrier);
  runNothing();
  run(other, NULL);
  pthread_barrier_wait(&barrier);
  pthread_join(one, NULL);
  return 0;
}
