// A recording reserves 64 GB of addresses. If these addresses were within a jump's reach of a library,
// many probes in uninstrumented code would find no room.
//
// REQUIRES: tprt-code, x86_64-host
// RUN: gcc -O1 %s %tprt_flags -o %t
// RUN: rm -f %t.one %t.two
// RUN: %t %t.one %t.two | FileCheck %s
//
// CHECK: one is far from libc
// CHECK-NEXT: two is far from libc
#include "tprt/record.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int isNear(unsigned long start, unsigned long end) {
  unsigned long code = (unsigned long)puts, reach = 1ul << 31;
  return start < code + reach && end + reach > code;
}

int main(int count, char **names) {
  for (int i = 1; i < count; ++i) {
    tprt_recording_options options = {.file = names[i]};
    if (tprt_recording_start(&options) != TPRT_STATUS_OK) {
      puts(tprt_error_string());
      return 1;
    }
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[1024];
    unsigned long start, end;
    const char *where = "not mapped";
    while (fgets(line, sizeof line, maps))
      if (strstr(line, names[i]) && sscanf(line, "%lx-%lx", &start, &end) == 2)
        where = isNear(start, end) ? "near" : "far";
    fclose(maps);
    printf("%s is %s from libc\n", strrchr(names[i], '.') + 1, where);
    tprt_recording_stop();
  }
  return 0;
}
