// A program calls tprt_control_start() and tprt_control_stop() again and again. Afterwards no thread,
// descriptor or file is left, and all probes of a tool are off.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: 20 rounds, 1 file while on, 0 off, 1 thread
#include "tprt/control.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int entries(const char *path) {
  int count = 0;
  DIR *folder = opendir(path);
  while (folder && readdir(folder))
    ++count;
  closedir(folder);
  return count - 2;
}

int main(void) {
  char folder[] = "/tmp/tprt-test-XXXXXX", path[100];
  setenv("XDG_RUNTIME_DIR", mkdtemp(folder), 1);
  snprintf(path, sizeof path, "%s/tprt", folder);
  int rounds = 0, on = 0;
  for (; rounds < 20; ++rounds) {
    if (tprt_control_start() != TPRT_STATUS_OK || tprt_control_start() != TPRT_STATUS_OK)
      return puts(tprt_error_string()), 1;
    on = entries(path);
    if (tprt_control_stop() != TPRT_STATUS_OK || tprt_control_stop() != TPRT_STATUS_OK)
      return puts(tprt_error_string()), 1;
  }
  int threads = 0;
  // A thread reports that it is done before the last steps of its end.
  for (int tries = 0; tries < 100000 && threads != 1; ++tries)
    threads = entries("/proc/self/task");
  printf("%d rounds, %d file while on, %d off, %d thread\n", rounds, on, entries(path), threads);
  rmdir(path);
  rmdir(folder);
}
