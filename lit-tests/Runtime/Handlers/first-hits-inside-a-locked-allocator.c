// Each thread's first hit is in the program's own calloc, with its lock held, and
// more than 32 keys are in use. glibc stores the value of a later key in memory from
// calloc: if the runtime's key is not among the first 32, such a thread deadlocks.
//
// RUN: %clang -O2 -pthread -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: {{^}}0 hits lost
#include "../Inputs/harness.h"
#include <pthread.h>
#include <string.h>

static char room[1 << 22];
static size_t used;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long taken, hits; // both under the lock

__attribute__((noinline)) static void *take(size_t bytes) {
  ++taken;
  used += (bytes + 15) & ~(size_t)15;
  return room + used - ((bytes + 15) & ~(size_t)15);
}
void *malloc(size_t bytes) {
  pthread_mutex_lock(&lock);
  void *memory = take(bytes);
  pthread_mutex_unlock(&lock);
  return memory;
}
void *calloc(size_t count, size_t bytes) { return malloc(count * bytes); }
void *realloc(void *old, size_t bytes) { return old ? memmove(malloc(bytes), old, bytes) : malloc(bytes); }
void free(void *memory) { (void)memory; }

static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) { ++hits; }

static void *work(void *unused) { return calloc(3, 8); }

int main(void) {
  pthread_key_t key;
  for (int i = 0; i < 40; ++i)
    pthread_key_create(&key, NULL);
  attachHandler("take", onHit, NULL);
  taken = 0;
  for (int i = 0; i < 4; ++i) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
  }
  long lost = taken - hits;
  printf("%ld hits lost\n", lost);
}
