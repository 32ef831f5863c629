// Sets a uprobe at an address of this program's file, by perf_event_open(2). The uprobe is removed
// when its descriptor is closed.
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int openUprobe(const void *at) {
  unsigned type;
  FILE *file = fopen("/sys/bus/event_source/devices/uprobe/type", "r");
  if (!file || fscanf(file, "%u", &type) != 1)
    exit(1);
  fclose(file);
  struct perf_event_attr attr = {.size = sizeof attr, .type = type};
  attr.config1 = (uintptr_t) "/proc/self/exe";
  file = fopen("/proc/self/maps", "r");
  char line[512];
  unsigned long start, end, offset;
  while (fgets(line, sizeof line, file))
    if (sscanf(line, "%lx-%lx %*s %lx", &start, &end, &offset) == 3 && (uintptr_t)at >= start && (uintptr_t)at < end)
      attr.config2 = (uintptr_t)at - start + offset;
  fclose(file);
  int event = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
  if (event < 0)
    perror("perf_event_open"), exit(1);
  return event;
}
