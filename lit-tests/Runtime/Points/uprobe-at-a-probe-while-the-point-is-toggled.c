// If this fails, a tracer's uprobe at the note of a USDT probe makes the program crash while the
// point is turned on and off, or the uprobe or a hit of libtprt shows wrong arguments. The
// uprobe takes samples with the registers that the note names.
//
// REQUIRES: uprobes, gcc-12, x86_64-host
// RUN: %plain_clang -O2 %s %tprt_flags -lpthread -o %t
// RUN: %python -B %S/../../Points/Inputs/probe-address.py %t | xargs %t | FileCheck %s
// RUN: gcc-12 -O2 %s %tprt_flags -lpthread -o %t
// RUN: %python -B %S/../../Points/Inputs/probe-address.py %t | xargs %t | FileCheck %s
//
// CHECK: 3000 toggles, no wrong argument, no wrong result
// CHECK-NEXT: samples: right
// CHECK-NEXT: on: 1 hits of the uprobe
// CHECK-NEXT: off: 0 hits of the uprobe
#include "tprt/point.h"
#include "tprt/trace.h"
#include "tprt/tprt.h"
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

TPRT_POINT_USDT(provider, toggled);

__attribute__((noinline)) static unsigned long work(unsigned long n) {
  TPRT_TRACE(toggled, "%lu %lu", n, ~n);
  return n * 3;
}

static unsigned long wrongArguments, wrongResults;
static int stop;
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {
  tprt_argument first, second;
  (void)data;
  if (!tprt_point_argument(event, regs, 0, &first) || !tprt_point_argument(event, regs, 1, &second) || first.value.u != ~second.value.u)
    __atomic_fetch_add(&wrongArguments, 1, __ATOMIC_RELAXED);
}
static void *run(void *data) {
  (void)data;
  for (unsigned long n = 0; !__atomic_load_n(&stop, __ATOMIC_RELAXED); ++n)
    if (work(n) != n * 3)
      __atomic_fetch_add(&wrongResults, 1, __ATOMIC_RELAXED);
  return NULL;
}

// rdi and rsi are bits 5 and 4 of a mask of registers
// (asm/perf_regs.h). A sample has the registers in ascending order.
static int openUprobe(unsigned long offset, unsigned long semaphore) {
  struct perf_event_attr attr = {.size = sizeof attr, .sample_period = 1, .sample_type = PERF_SAMPLE_REGS_USER,
                                 .sample_regs_user = 1 << 4 | 1 << 5};
  FILE *type = fopen("/sys/bus/event_source/devices/uprobe/type", "r");
  if (!type || fscanf(type, "%u", &attr.type) != 1)
    return -1;
  fclose(type);
  attr.config = semaphore << 32;
  attr.config1 = (unsigned long)"/proc/self/exe";
  attr.config2 = offset;
  return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
}

// Samples of this thread. Overwritten samples do not matter: each sample is checked separately.
static void judgeSamples(struct perf_event_mmap_page *page, size_t bytes) {
  const char *data = (const char *)page + sysconf(_SC_PAGESIZE);
  unsigned long right = 0, wrong = 0;
  for (unsigned long at = 0; at + 32 <= page->data_head && at + 32 <= bytes;) {
    const struct perf_event_header *header = (const void *)(data + at);
    const unsigned long *fields = (const void *)(header + 1); // the ABI, rsi, rdi
    if (header->type == PERF_RECORD_SAMPLE)
      ++*(fields[1] == ~fields[2] ? &right : &wrong);
    at += header->size;
  }
  printf("samples: %s\n", wrong ? "wrong" : right ? "right" : "none");
}

static unsigned long hitsOf(int event) {
  unsigned long hits = 0;
  return read(event, &hits, sizeof hits) == sizeof hits ? hits : ~0ul;
}

int main(int argc, char **argv) {
  if (argc != 3)
    return 1;
  int event = openUprobe(strtoul(argv[1], NULL, 0), strtoul(argv[2], NULL, 0));
  size_t bytes = 64 * (size_t)sysconf(_SC_PAGESIZE);
  struct perf_event_mmap_page *page = mmap(NULL, bytes + (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE, MAP_SHARED, event, 0);
  if (event < 0 || page == MAP_FAILED)
    return perror("perf_event_open"), 1;
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i)
    pthread_create(&threads[i], NULL, run, NULL);
  tprt_action action = {.handler = onHit};
  tprt_probe *probe;
  int toggles = 0;
  for (; toggles < 3000; ++toggles) {
    if (tprt_point_enable(&toggled, &action, &probe, NULL) != TPRT_STATUS_OK)
      return puts(tprt_error_string()), 1;
    work((unsigned long)toggles); // counted by the uprobe, which is this thread's
    tprt_probe_detach(probe, -1);
  }
  __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
  for (int i = 0; i < 2; ++i)
    pthread_join(threads[i], NULL);
  printf("%d toggles, %s wrong argument, %s wrong result\n", toggles, wrongArguments ? "a" : "no", wrongResults ? "a" : "no");
  judgeSamples(page, bytes);
  unsigned long before = hitsOf(event);
  tprt_point_enable(&toggled, &action, &probe, NULL);
  work(1);
  printf("on: %lu hits of the uprobe\n", hitsOf(event) - before);
  before = hitsOf(event);
  tprt_probe_detach(probe, -1);
  work(1);
  printf("off: %lu hits of the uprobe\n", hitsOf(event) - before);
  return 0;
}
