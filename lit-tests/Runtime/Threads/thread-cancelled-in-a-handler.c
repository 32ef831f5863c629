// pthread_cancel unwinds a thread through handler, trampoline and traced
// function; its cleanup handlers run, and detach does not wait forever for the thread.
//
// RUN: %clang -O2 -pthread -fexceptions -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
// RUN: %clang -O2 -pthread -fexceptions -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit -DAT=TPRT_KIND_EXIT \
// RUN:   %s %tprt_flags -o %t.exits
// RUN: %t.exits | FileCheck %s
//
// CHECK: cancelled in the function: cleaned up
// CHECK-NEXT: cancelled in the handler: cleaned up
// CHECK-NEXT: pthread_exit in the handler: cleaned up
// CHECK-NEXT: detach: it was done
#include "../Inputs/harness.h"
#include <pthread.h>
#include <unistd.h>

#ifndef AT
#define AT TPRT_KIND_ENTRY
#endif
static volatile int way, inside;
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {
  if (event->kind != AT)
    return;
  if (way == 2)
    pthread_exit(NULL);
  inside = 1;
  while (way == 1)
    usleep(1000);
}
static void cleanUp(void *data) { *(int *)data = 1; }
__attribute__((noinline)) void work(void) {
  inside = way == 0;
  while (way == 0)
    usleep(1000);
}
static void *run(void *cleaned) {
  pthread_cleanup_push(cleanUp, cleaned);
  work();
  pthread_cleanup_pop(0);
  return NULL;
}
int main() {
  tprt_probe *probe = attach("work", TPRT_KIND_SET_ALL, (tprt_action){.handler = onHit});
  const char *names[] = {"cancelled in the function", "cancelled in the handler", "pthread_exit in the handler"};
  for (int i = 0; i < 3; ++i) {
    int cleaned = 0;
    pthread_t thread;
    way = i, inside = 0;
    pthread_create(&thread, NULL, run, &cleaned);
    while (!inside && i < 2)
      usleep(1000);
    if (i < 2)
      pthread_cancel(thread);
    pthread_join(thread, NULL);
    printf("%s: %s\n", names[i], cleaned ? "cleaned up" : "not cleaned up");
  }
  printf("detach: %s\n", detach(probe, 2000));
}
