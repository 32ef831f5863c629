// A uprobe (perf, bpftrace) is set at the instruction of a site without a sled while a probe is on there, and goes
// while the probe is on. The kernel puts back the first byte of the file alone. By then libtprt has given the other
// bytes of the instruction back: the thread of the control has looked, or the program has attached something else.
//
// REQUIRES: uprobes
// RUN: gcc -O1 %s %tprt_flags -o %t
// RUN: %t control | FileCheck %s
// RUN: %t attach | FileCheck %s
//
// A child of fork() has a copy of the uprobe, which goes at its first hit there. libtprt has looked before the fork.
// RUN: %t fork | FileCheck %s --check-prefix=FORK
// FORK: in children: 0 wrong results
//
// With an option, each site changes one byte, and libtprt need not look. A site may have no room then.
// RUN: env TPRT_OPTIONS=uprobes=1 %t option | FileCheck %s --check-prefix=OPTION
// OPTION: at {{[3-5]}} of 5 functions
// OPTION-NEXT: 0 wrong results
//
// CHECK: jump: on, given back, off with 1 hit, then on with 1 hit
// CHECK-NEXT: hop: on, given back, off with 1 hit, then on with 1 hit
// CHECK-NEXT: hop_odd: on, given back, off with 1 hit, then on with 1 hit
// CHECK-NEXT: pun: on, given back, off with 1 hit, then on with 1 hit
// CHECK-NEXT: relative: on, given back, off with 1 hit, then on with 1 hit
// CHECK-NEXT: 0 wrong results
#include "../Inputs/harness.h"
#include "../Inputs/uprobe.h"
#include "Inputs/means.h"
#include <sys/wait.h>
#include <tprt/control.h>

static long wrong;
static int control;

static tprt_probe *attachTo(const char *name) {
  tprt_selector selector = {.function = name, .module = "*/uprobes-that-go*", .flags = TPRT_SELECT_CODE | TPRT_SELECT_LOADED};
  tprt_action action = {.kind = TPRT_ACTION_COUNT};
  tprt_probe *probe = NULL;
  tprt_status status = tprt_probe_attach(&selector, &action, &probe, NULL);
  if (status != TPRT_STATUS_OK)
    printf(" (%s)", tprt_error_string());
  return probe;
}

static void detachFrom(tprt_probe *probe) {
  long hits = probe ? (long)tprt_probe_count(probe) : 0;
  if (probe && tprt_probe_detach(probe, -1) != TPRT_STATUS_OK)
    printf(" (%s)", tprt_error_string());
  printf(" with %ld hit", hits);
}

// Waits until the bytes behind the breakpoint are those of before.
static int awaitBytes(const void *at, const unsigned char *before) {
  for (int i = 0; i < 1000; ++i) {
    usleep(10000);
    if (!control) {
      tprt_probe *other = attachTo("tail");
      tprt_probe_detach(other, -1);
    }
    const volatile unsigned char *now = at;
    int same = now[0] == 0xcc;
    for (int k = 1; k < 5; ++k)
      same &= now[k] == before[k];
    if (same)
      return 1;
  }
  return 0;
}

static void run(const char *name, long (*function)(long)) {
  unsigned char before[8];
  memcpy(before, (const void *)function, sizeof before);
  tprt_probe *probe = attachTo(name);
  printf("%s: on", name);
  wrong += function(1) != 2;
  int event = openUprobe(function);
  printf(", %s", awaitBytes(function, before) ? "given back" : "NOT given back");
  wrong += function(2) != 3;
  uint64_t count = 0;
  wrong += read(event, &count, sizeof count) != sizeof count || count != 1;
  close(event);
  wrong += function(3) != 4;
  wrong += memcmp(before, (const void *)function, sizeof before) != 0;
  printf(", off");
  detachFrom(probe);
  wrong += function(4) != 5;
  printf(", then on");
  probe = attachTo(name);
  wrong += function(5) != 6;
  event = openUprobe(function);
  awaitBytes(function, before);
  detachFrom(probe); // under the uprobe
  wrong += function(6) != 7;
  close(event);
  wrong += function(7) != 8;
  printf("\n");
}

// The uprobe goes at once.
static int goes(const char *name, long (*function)(long)) {
  tprt_selector selector = {.function = name, .module = "*/uprobes-that-go*", .flags = TPRT_SELECT_CODE | TPRT_SELECT_LOADED};
  tprt_action action = {.kind = TPRT_ACTION_COUNT};
  tprt_probe *probe = NULL;
  tprt_probe_attach(&selector, &action, &probe, NULL);
  wrong += function(1) != 2;
  int event = openUprobe(function);
  wrong += function(2) != 3;
  close(event);
  wrong += function(3) != 4;
  if (!probe)
    return 0;
  wrong += tprt_probe_count(probe) != 1;
  wrong += tprt_probe_detach(probe, -1) != TPRT_STATUS_OK;
  return 1;
}

static void forkUnder(const char *name, long (*function)(long)) {
  tprt_probe *probe = attachTo(name);
  usleep(200000); // an attach looks as well
  int event = openUprobe(function);
  pid_t child = fork();
  if (child == 0)
    _exit(function(1) != 2 || function(2) != 3);
  int status = -1;
  waitpid(child, &status, 0);
  wrong += status != 0;
  close(event);
  wrong += function(3) != 4;
  tprt_probe_detach(probe, -1);
}

int main(int count, char **arguments) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  const char *what = count > 1 ? arguments[1] : "";
  control = strcmp(what, "control") == 0;
  if (control && tprt_control_start() != TPRT_STATUS_OK)
    return 1;
  if (strcmp(what, "fork") == 0) {
    forkUnder("jump", jump);
    forkUnder("hop", hop);
    forkUnder("pun", pun);
    forkUnder("relative", relative);
    printf("in children: %ld wrong results\n", wrong);
    return 0;
  }
  if (strcmp(what, "option") == 0) {
    int on = goes("jump", jump) + goes("hop", hop) + goes("hop_odd", hop_odd) + goes("pun", pun) + goes("relative", relative);
    printf("at %d of 5 functions\n%ld wrong results\n", on, wrong);
    return 0;
  }
  run("jump", jump);
  run("hop", hop);
  run("hop_odd", hop_odd);
  run("pun", pun);
  run("relative", relative);
  printf("%ld wrong results\n", wrong);
  return 0;
}
