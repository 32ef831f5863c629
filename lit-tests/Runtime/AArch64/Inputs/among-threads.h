// Toggles all sites while three threads run `body`, which returns the number of wrong results, and prints the results.
#include <pthread.h>

static int threadHits, stopThreads, wrongResults;
static int (*threadBody)(void);

static void onThread(const tprt_event *event, const tprt_regs *regs, void *data) {
  __atomic_add_fetch(&threadHits, 1, __ATOMIC_RELAXED);
}
static void *runBody(void *unused) {
  while (!__atomic_load_n(&stopThreads, __ATOMIC_RELAXED))
    __atomic_add_fetch(&wrongResults, threadBody(), __ATOMIC_RELAXED);
  return unused;
}
// `attach` attaches a handler to all sites.
static void toggleBesideThreads(int (*body)(void), tprt_probe *(*attach)(tprt_action action)) {
  pthread_t threads[3];
  tprt_action quick = {.handler = onThread};
  threadBody = body;
  for (int i = 0; i < 3; ++i)
    pthread_create(&threads[i], NULL, runBody, NULL);
  for (int i = 0; i < 30; ++i)
    tprt_probe_detach(attach(quick), -1);
  tprt_probe *probe = attach(quick);
  waitUntil(&threadHits);
  tprt_probe_detach(probe, -1);
  __atomic_store_n(&stopThreads, 1, __ATOMIC_RELAXED);
  for (int i = 0; i < 3; ++i)
    pthread_join(threads[i], NULL);
  printf("threads: %d wrong results, some hits: %s\n", wrongResults, threadHits ? "yes" : "no");
}
