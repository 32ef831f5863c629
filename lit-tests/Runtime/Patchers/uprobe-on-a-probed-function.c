// A uprobe (perf, bpftrace) is set at the sled, before the attach or while a probe is on, and is removed
// again. No result changes. The probe is refused or lost, but never half-written. After its removal, a
// uprobe leaves 66 f9 of an enabled sled: a stc with a prefix, which is harmless. On AArch64 it leaves the nop, 1f 20 03 d5.
//
// REQUIRES: uprobes
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t %t | FileCheck %s
//
// CHECK: before: every matching site was refused, 100 uprobe hits
// CHECK-NEXT: beside: 200 right results, over 99 uprobe hits
// CHECK-NEXT: after: 100 right results, at the sled {{66 f9|66 90|1f 20}}
#include "tprt/tprt.h"
#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

extern const char __ehdr_start[];
__attribute__((noinline)) int f(int x) {
  __asm__ volatile("" : "+r"(x));
  return 2 * x;
}
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) { ++*(int *)data; }

static int openUprobe(const char *file) {
  FILE *type = fopen("/sys/bus/event_source/devices/uprobe/type", "r");
  struct perf_event_attr attr = {.size = sizeof attr};
  if (!type || fscanf(type, "%u", &attr.type) != 1)
    return -1;
  fclose(type);
  attr.config1 = (uint64_t)(uintptr_t)file;
  attr.config2 = (uint64_t)((const char *)f - __ehdr_start); // text and file offsets agree in this program
  return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
}
static int rightResults(int count) {
  int right = 0;
  for (volatile int i = 0; i < count; ++i)
    right += f(i) == 2 * i;
  return right;
}
static uint64_t readAndClose(int event) {
  uint64_t count = 0;
  if (read(event, &count, sizeof count) != sizeof count)
    count = 0;
  close(event);
  return count;
}
int main(int argc, char **argv) {
  tprt_selector selector = {.function = "f"};
  int hits = 0;
  tprt_action action = {.handler = onHit, .data = &hits};
  tprt_probe *probe;
  int event = openUprobe(argv[1]);
  if (event < 0)
    return printf("no uprobe: %s\n", strerror(errno)), 1;
  tprt_status status = tprt_probe_attach(&selector, &action, &probe, NULL);
  int right = rightResults(100);
  printf("before: %s, %lu uprobe hits\n", tprt_status_string(status), (unsigned long)readAndClose(event));

  status = tprt_probe_attach(&selector, &action, &probe, NULL);
  event = openUprobe(argv[1]);
  right += rightResults(100);
  uint64_t seen = readAndClose(event);
  printf("beside: %d right results, over %d uprobe hits\n", right, (int)seen - 1);

  right = rightResults(50);
  if (status == TPRT_STATUS_OK)
    tprt_probe_detach(probe, -1);
  right += rightResults(50);
  const unsigned char *sled = (const unsigned char *)f;
  printf("after: %d right results, at the sled %02x %02x\n", right, sled[0], sled[1]);
}
