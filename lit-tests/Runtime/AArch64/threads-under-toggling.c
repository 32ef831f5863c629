// Four threads call through every kind of sled, at every offset of a cache line,
// while a fifth flips random ones of them with random actions, and makes the data
// of each handler unreadable once detach returned: no register, argument or result
// is ever wrong, and no thread is in a handler that was detached.
//
// RUN: aarch64-linux-gnu-gcc -c %S/Inputs/caller.S -o %t.caller.o
// RUN: aarch64-linux-gnu-gcc -c %S/Inputs/sleds.S -o %t.sleds.o
// RUN: %plain_clang -O1 -I %S/Inputs %s %t.caller.o %t.sleds.o %tprt_flags -o %t -pthread
// RUN: %t | FileCheck %s
//
// CHECK: {{[1-9][0-9]+}} toggles, {{[1-9][0-9]+}} calls, hits {{[1-9][0-9]+}} {{[1-9][0-9]+}} {{[1-9][0-9]+}}, counted {{[1-9][0-9]+}}
// CHECK-NEXT: faults 0
#include "checked-call.h"
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

enum { kThreads = 4, kSites = 128, kSeconds = 4 };
static int stop;
static unsigned long calls;
static const tprt_site *sites[kSites];
static int found;
static int collect(const tprt_site *site, void *data) { return sites[found++] = site, found == kSites; }

static void *run(void *seed) {
  uint64_t state = (uint64_t)seed * 0x9e3779b97f4a7c15u;
  while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
    const struct Function *f = &stress_functions[next(&state) % kSites];
    for (int i = 0; i < 16; ++i) // mostly races over one function
      checkedCall(f, &state);
    __atomic_fetch_add(&calls, 16, __ATOMIC_RELAXED);
  }
  return NULL;
}

static void guarded(const tprt_event *event, const tprt_regs *regs, void *data) {
  trampleAll(event, regs, data);
  if (hits[event->event] % 64 == 0) // a detach has to wait for this one
    nanosleep(&(struct timespec){0, 1000000}, NULL);
  if (*(volatile uint64_t *)data != 42)
    __atomic_fetch_add(&faults, 1, __ATOMIC_RELAXED);
}

static void toggle(uint64_t *seed, uint64_t *page, uint64_t *counted) {
  const tprt_site *chosen[kSites];
  size_t count = 0, share = next(seed) % 8;
  for (int i = 0; i < kSites; ++i)
    if (next(seed) % 8 <= share)
      chosen[count++] = sites[i];
  tprt_selector selector = {.sites = chosen, .site_count = count, .events = TPRT_EVENTS_ALL};
  tprt_action action = actionOf((int)(next(seed) % 3));
  if (action.handler == trampleAll)
    action.handler = guarded, action.data = page;
  mprotect(page, 4096, PROT_READ | PROT_WRITE);
  *page = 42;
  tprt_probe *probe = NULL;
  if (count && tprt_probe_attach(&selector, &action, &probe, NULL))
    puts(tprt_last_error()), ++faults;
  nanosleep(&(struct timespec){0, (long)(next(seed) % 2000000)}, NULL);
  *counted += probe ? tprt_probe_count(probe) : 0;
  if (probe && tprt_probe_detach(probe, -1))
    puts(tprt_last_error()), ++faults;
  mprotect(page, 4096, PROT_NONE);
}

int main() {
  uint64_t seed = 7, counted = 0, *page = aligned_alloc(4096, 4096);
  tprt_selector all = {.function = "stress_word_*", .events = TPRT_EVENTS_ALL};
  tprt_sites_visit(&all, collect, NULL);
  pthread_t threads[kThreads];
  for (uintptr_t i = 0; i < kThreads; ++i)
    pthread_create(&threads[i], NULL, run, (void *)(i + 1));
  time_t end = time(NULL) + kSeconds;
  int toggles = 0;
  for (; time(NULL) < end && !faults; ++toggles)
    toggle(&seed, page, &counted);
  stop = 1;
  for (int i = 0; i < kThreads; ++i)
    pthread_join(threads[i], NULL);
  printf("%d toggles, %lu calls, hits %d %d %d, counted %lu\nfaults %d\n", toggles, calls, hits[0], hits[1], hits[2],
         (unsigned long)counted, faults);
}
