// On AArch64, a uprobe replaces and restores a whole instruction, so no thread has to look for uprobes. If this fails,
// a program with probes in uninstrumented code has a useless thread.
//
// RUN: %plain_clang -O2 -fpatchable-function-entry=1 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: on, 0 threads more, 10 hits
#include "../Inputs/harness.h"
#include <dirent.h>

__attribute__((noinline)) long other(long a) {
  __asm__ volatile("" : "+r"(a));
  return a;
}
__attribute__((noinline)) long jumps(long a) {
  __asm__ volatile("" : "+r"(a));
  return other(a + 1);
}

// The emulator may create further threads.
static int threads(void) {
  int count = 0;
  DIR *folder = opendir("/proc/self/task");
  for (struct dirent *entry; (entry = readdir(folder));)
    count += entry->d_name[0] != '.';
  closedir(folder);
  return count;
}

int main(void) {
  int before = threads();
  tprt_selector selector = {.function = "jumps", .kinds = TPRT_KIND_SET_ALL, .flags = TPRT_SELECT_CODE | TPRT_SELECT_LOADED};
  tprt_probe *probe = attachSelected(selector, (tprt_action){.kind = TPRT_ACTION_COUNT});
  int more = threads() - before;
  for (long i = 0; i < 5; ++i)
    jumps(i);
  printf("on, %d threads more, %d hits\n", more, (int)tprt_probe_count(probe));
  return tprt_probe_detach(probe, -1);
}
