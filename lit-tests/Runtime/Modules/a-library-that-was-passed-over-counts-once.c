// A library without _init is loaded while a probe is pending, so its sites wait for the next call. Before that call,
// another thread attaches to the library's sites. If this fails, the next call attaches that thread's probe to these sites
// once more, and each hit counts twice.
//
// The attach begins before the library is loaded, and then waits for the loader's lock. Meanwhile `waiter` is loaded, and
// its constructor opens the library only when the attach calls dlopen.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %clang -O2 -fPIC -shared -nostartfiles -DBARE -fplugin-arg-tp-entry=2,0 %s -o %t/libbare.so
// RUN: %clang -O2 -fPIC -shared -DUSER -fplugin-arg-tp-entry=2,0 %s %t/libbare.so -o %t/libuser.so
// RUN: %clang -O2 -fPIC -shared -DEARLIER -fplugin-arg-tp-entry=2,0 %s -o %t/libearlier.so
// RUN: %plain_clang -O2 -fPIC -shared -DWAITER %s -o %t/libwaiter.so
// RUN: %plain_clang -O2 -pthread -rdynamic %s %tprt_interposed_flags -o %t/main
// RUN: %t/main %t/libearlier.so %t/libwaiter.so %t/libuser.so | FileCheck %s
//
// CHECK: 2 counted
// CHECK-NEXT: 2 more counted
#if defined BARE
__attribute__((noinline)) int bare(int v) {
  __asm__ volatile("" : "+r"(v));
  return v + 1;
}
#elif defined USER
int bare(int);
__attribute__((noinline)) int user(int v) { return bare(v) + 1; }
#elif defined EARLIER
__attribute__((noinline)) int earlier(int v) {
  __asm__ volatile("" : "+r"(v));
  return v + 1;
}
#elif defined WAITER
void openUser(void);
__attribute__((constructor)) static void begin(void) { openUser(); }
#else
#define _GNU_SOURCE
#include "../Inputs/harness.h"
#include <dlfcn.h>
#include <pthread.h>

static char **paths;
static void *opened;
static volatile int isInWaiter, isAttaching;
static pthread_t attacher;

// libtprt keeps libraries loaded by this call.
void *dlopen(const char *name, int flags) {
  static void *(*next)(const char *, int);
  if (!next)
    next = (void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen");
  if (isInWaiter && pthread_equal(pthread_self(), attacher))
    isAttaching = 1;
  return next(name, flags);
}

void openUser(void) {
  isInWaiter = 1;
  waitUntil(&isAttaching);
  opened = dlopen(paths[3], RTLD_NOW);
}

static tprt_probe *count(const char *name, uint32_t flags) {
  tprt_selector selector = {.function = name, .kinds = TPRT_KIND_SET_ENTRY, .flags = flags};
  tprt_action action = {.kind = TPRT_ACTION_COUNT};
  tprt_probe *probe = NULL;
  tprt_probe_attach(&selector, &action, &probe, NULL);
  return probe;
}

static void *attachAll(void *unused) {
  (void)unused;
  waitUntil(&isInWaiter);
  attacher = pthread_self();
  return count("*", 0);
}

int main(int argc, char **argv) {
  pthread_t thread;
  void *result;
  paths = argv;
  (void)argc;
  dlopen(paths[1], RTLD_NOW);
  tprt_probe *standing = count("user", TPRT_SELECT_AWAIT);
  pthread_create(&thread, NULL, attachAll, NULL);
  dlopen(paths[2], RTLD_NOW);
  pthread_join(thread, &result);
  tprt_probe *all = (tprt_probe *)result;
  if (!opened || !all)
    return puts("nothing was opened or attached");
  int (*user)(int) = (int (*)(int))dlsym(opened, "user");
  user(1);
  printf("%d counted\n", (int)tprt_probe_count(all));
  tprt_module_refresh();
  user(1);
  printf("%d more counted\n", (int)tprt_probe_count(all) - 2);
  tprt_probe_detach(all, -1);
  tprt_probe_detach(standing, -1);
  return 0;
}
#endif
