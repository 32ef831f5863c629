// The library's thread-local words have initial values. When libtprt is opened
// by dlopen, existing threads must get these values, too.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s -I %tprt_include -pthread -ldl -o %t
// RUN: %t %{libdir}/libtprt.so | FileCheck %s
//
// CHECK: handler was called
// CHECK: calls were counted
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <tprt/tprt.h>

__attribute__((noinline)) int work(int x) {
  __asm__ volatile("");
  return x + 1;
}

static int stop;
static void *run(void *unused) {
  while (!__atomic_load_n(&stop, __ATOMIC_RELAXED))
    work(1);
  return unused;
}

static long hits;
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {
  __atomic_fetch_add(&hits, 1, __ATOMIC_RELAXED);
}

static void pause(void) { nanosleep(&(struct timespec){0, 1000000}, 0); }

int main(int argc, char **argv) {
  pthread_t thread;
  pthread_create(&thread, 0, run, 0);
  void *library = dlopen(argv[1], RTLD_NOW);
  if (!library)
    return puts(dlerror());
  __typeof__(tprt_probe_attach_sized) *attach = dlsym(library, "tprt_probe_attach_sized");
  __typeof__(tprt_probe_detach) *detach = dlsym(library, "tprt_probe_detach");
  __typeof__(tprt_probe_count) *count = dlsym(library, "tprt_probe_count");
  tprt_selector selector = {.function = "work"};
  tprt_probe *probe;
  tprt_action call = {.kind = TPRT_ACTION_CALL, .handler = onHit};
  if (attach(tprt_layout_here(), &selector, &call, &probe, 0) != TPRT_STATUS_OK)
    return puts("attach failed");
  while (!__atomic_load_n(&hits, __ATOMIC_RELAXED))
    pause();
  puts("handler was called");
  detach(probe, -1);
  tprt_action counting = {.kind = TPRT_ACTION_COUNT};
  if (attach(tprt_layout_here(), &selector, &counting, &probe, 0) != TPRT_STATUS_OK)
    return puts("attach failed");
  while (!count(probe))
    pause();
  puts("calls were counted");
  detach(probe, -1);
  __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
  pthread_join(thread, 0);
}
