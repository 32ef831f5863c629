// The program's allocator has a lock and acquires the lock in its atfork handler. That handler was
// registered after the runtime's handler, so it runs first. The C++ library allocates the demangled
// names that a C++ pattern is compared with. If that allocation happened under the runtime's lock,
// fork and attach would deadlock.
//
// RUN: %clangxx -O2 -pthread -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
// RUN: env TPRT_OPTIONS=verbose=1 %t 2>%t.log | FileCheck %s
//
// CHECK: many forks, attached each time
#include "tprt/tprt.h"
#include <cstdio>
#include <cstdlib>
#include <pthread.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern "C" void *__libc_malloc(size_t);
extern "C" void __libc_free(void *);
static pthread_mutex_t allocator = PTHREAD_MUTEX_INITIALIZER;
extern "C" void *malloc(size_t bytes) {
  pthread_mutex_lock(&allocator);
  void *memory = __libc_malloc(bytes);
  pthread_mutex_unlock(&allocator);
  return memory;
}
extern "C" void free(void *memory) {
  pthread_mutex_lock(&allocator);
  __libc_free(memory);
  pthread_mutex_unlock(&allocator);
}
static void take() { pthread_mutex_lock(&allocator); }
static void give() { pthread_mutex_unlock(&allocator); }

namespace ns {
template <int N> __attribute__((noinline)) void work() { __asm__ volatile(""); }
template <int N> void all() {
  work<N>();
  if constexpr (N > 0)
    all<N - 1>();
}
} // namespace ns

static int failed;
static void onHit(const tprt_event *, const tprt_regs *, void *) {}
static void *toggle(void *) {
  for (;;) {
    tprt_selector selector{};
    selector.function = "*ns::work<1*>*";
    tprt_action action{};
    action.handler = onHit;
    tprt_probe *probe;
    if (tprt_probe_attach(&selector, &action, &probe, nullptr) == TPRT_STATUS_OK)
      tprt_probe_detach(probe, -1);
    else
      ++failed;
    selector.function = "*ns::none*"; // which is reported on standard error
    if (tprt_probe_attach(&selector, &action, &probe, nullptr) != TPRT_STATUS_NO_MATCH)
      ++failed;
  }
}

int main() {
  alarm(250); // what hangs is a failure
  pthread_atfork(take, give, give);
  ns::all<120>();
  pthread_t thread;
  pthread_create(&thread, nullptr, toggle, nullptr);
  // An emulator needs a tenth of a second for each fork, so under it the test forks only for some seconds.
  const time_t end = time(nullptr) + 5;
  for (int i = 0; i < 1000 && (i < 50 || time(nullptr) < end); ++i) {
    pid_t child = fork();
    if (!child)
      _exit(0);
    waitpid(child, nullptr, 0);
  }
  printf("many forks, attached %s\n", failed ? "not each time" : "each time");
  fflush(stdout);
  _exit(0);
}
