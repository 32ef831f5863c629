/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Measures the cost of a hit of the kernel's counting uprobe, at the
 * function that hit.c measures. Prints uprobe_hit_ns, or nothing if the
 * kernel refuses uprobes.
 */
#include "clock.h"
#include "hit_target.h"

#include <dlfcn.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int uprobe_at(const char *file, uint64_t offset) {
  FILE *kind = fopen("/sys/bus/event_source/devices/uprobe/type", "r");
  struct perf_event_attr attributes;
  memset(&attributes, 0, sizeof attributes);
  attributes.size = sizeof attributes;
  if (!kind || fscanf(kind, "%u", &attributes.type) != 1)
    return -1;
  fclose(kind);
  attributes.uprobe_path = (uint64_t)(uintptr_t)file;
  attributes.probe_offset = offset;
  return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0);
}

/* The offset in the mapped file for this address. */
static uint64_t offset_of(uintptr_t address) {
  FILE *maps = fopen("/proc/self/maps", "r");
  unsigned long start, end, offset, found = 0;
  char line[4096];
  while (maps && fgets(line, sizeof line, maps))
    if (sscanf(line, "%lx-%lx %*s %lx", &start, &end, &offset) == 3 && address >= start && address < end)
      found = address - start + offset;
  if (maps)
    fclose(maps);
  return found;
}

int main(void) {
  static double with[HIT_ROUNDS];
  double off = 0;
  int counter = uprobe_at("/proc/self/exe", offset_of((uintptr_t)hit_target));
  if (counter < 0)
    return 0;
  close(counter);
  /* A uprobe's hit takes about a thousand times as long as a call. */
  enum { ROUNDS = 5 };
  hit_loop(hit_target);
  for (int i = 0; i < ROUNDS; ++i) {
    off = hit_loop(hit_target);
    counter = uprobe_at("/proc/self/exe", offset_of((uintptr_t)hit_target));
    with[i] = hit_loop(hit_target) - off;
    uint64_t counted = 0;
    if (read(counter, &counted, sizeof counted) != sizeof counted || counted != HIT_CALLS) {
      fprintf(stderr, "the uprobe counted %llu of %d calls\n", (unsigned long long)counted, HIT_CALLS);
      return 1;
    }
    close(counter);
  }
  printf("uprobe_hit_ns %.3f\n", tp_bench_median(with, ROUNDS));
  return 0;
}
