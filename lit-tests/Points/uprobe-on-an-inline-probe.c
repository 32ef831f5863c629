// If this fails, a uprobe on a USDT probe of TPRT_TRACE_INLINE(), set as by bpftrace and perf, does
// not fire, does not change the semaphore, or breaks the program.
//
// REQUIRES: uprobes, gcc-12
// RUN: %plain_clang -O2 -I %tprt_include %s -o %t
// RUN: %python -B %S/Inputs/probe-address.py %t | xargs %t | FileCheck %s
// RUN: gcc-12 -O2 -I %tprt_include %s -o %t
// RUN: %python -B %S/Inputs/probe-address.py %t | xargs %t | FileCheck %s
// RUN: %plain_clangxx -x c++ -O2 -I %tprt_include %s -o %t
// RUN: %python -B %S/Inputs/probe-address.py %t | xargs %t | FileCheck %s
//
// CHECK: before: semaphore 0, 1000 right
// CHECK-NEXT: with a uprobe: semaphore 1, 1000 right, 1000 hits
// CHECK-NEXT: after: semaphore 0, 1000 right
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <tprt/trace.h>
#include <unistd.h>

TPRT_POINT_USDT(provider, probe);
__attribute__((noinline)) static long work(long n) {
  TPRT_TRACE_INLINE(probe, "%ld %ld", n, n + 1);
  return n * 3;
}
static int right(void) {
  int count = 0;
  for (long i = 0; i < 1000; ++i)
    count += work(i) == i * 3;
  return count;
}
// The semaphore's offset in the file is in the upper half of config (ref_ctr_offset).
static int open_uprobe(uint64_t offset, uint64_t semaphore) {
  struct perf_event_attr attr = {};
  FILE *type = fopen("/sys/bus/event_source/devices/uprobe/type", "r");
  if (!type || fscanf(type, "%u", &attr.type) != 1)
    return -1;
  fclose(type);
  attr.size = sizeof attr;
  attr.config = semaphore << 32;
  attr.config1 = (uint64_t)(uintptr_t) "/proc/self/exe";
  attr.config2 = offset;
  return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
}
static unsigned semaphore(void) { return *(volatile uint16_t *)&probe; }

int main(int argc, char **argv) {
  if (argc != 3)
    return 1;
  int count = right();
  printf("before: semaphore %u, %d right\n", semaphore(), count);
  int event = open_uprobe(strtoull(argv[1], NULL, 0), strtoull(argv[2], NULL, 0));
  if (event < 0)
    return perror("perf_event_open"), 1;
  count = right();
  uint64_t hits = 0;
  if (read(event, &hits, sizeof hits) != sizeof hits)
    return 1;
  printf("with a uprobe: semaphore %u, %d right, %llu hits\n", semaphore(), count, (unsigned long long)hits);
  close(event);
  count = right();
  printf("after: semaphore %u, %d right\n", semaphore(), count);
}
