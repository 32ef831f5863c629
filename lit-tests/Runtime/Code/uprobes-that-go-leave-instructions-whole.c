// A uprobe (perf, bpftrace) is set at the instruction of a site without a sled while a probe is on there, and is removed
// while the probe is on. The kernel restores only the first byte of the file. If that byte and the rest of the jump do
// not form the program's instruction, libtprt must have restored the other bytes by then. libtprt's thread does so, or
// another attach of the program. Otherwise the jump stays.
//
// REQUIRES: uprobes
// RUN: gcc -O1 %s %tprt_flags -o %t
// RUN: env TPRT_OPTIONS=uprobes=0 %t attach | FileCheck %s
//
// With uprobes=0 the thread does not exist. Without the option, few functions need the thread.
// RUN: %t watch | FileCheck %s --check-prefix=WATCH
// RUN: %t control | FileCheck %s --check-prefix=WATCH
// WATCH: number: on, given back, off with 1 hit, then on with 1 hit
// WATCH-NEXT: number_of_two: on, given back, off with 1 hit, then on with 1 hit
// WATCH-NEXT: 0 wrong results
//
// A child of fork() has a copy of the uprobe, which is removed at its first hit there. So libtprt has to check
// for uprobes right before the fork, even if its thread has just checked.
// RUN: env TPRT_OPTIONS=uprobes=0 %t fork | FileCheck %s --check-prefix=FORK
// RUN: %t fork | FileCheck %s --check-prefix=FORK
// FORK: in children: 0 wrong results
//
// If few sites are attached at once, a site that has room for another jump does not need its first byte, so libtprt
// need not check for uprobes. With the option, no site needs its first byte.
// RUN: %t goes | FileCheck %s --check-prefix=GOES
// RUN: env TPRT_OPTIONS=uprobes=1 %t goes | FileCheck %s --check-prefix=GOES
// GOES: at {{[67]}} of 7 functions
// GOES-NEXT: 0 wrong results
//
// CHECK: bare_jump: on, given back, off with 1 hit, then on with 1 hit
// CHECK-NEXT: bare_hop: on, given back, off with 1 hit, then on with 1 hit
// CHECK-NEXT: pun: on, given back, off with 1 hit, then on with 1 hit
// CHECK-NEXT: relative: on, given back, off with 1 hit, then on with 1 hit
// CHECK-NEXT: 0 wrong results
#include "../Inputs/harness.h"
#include "../Inputs/uprobe.h"
#include "Inputs/means.h"
#include "Inputs/watch.h"
#include <sys/wait.h>
#include <tprt/control.h>

static long wrong;
static int watched;

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

// Waits until the bytes after the breakpoint are restored.
static int awaitBytes(const void *at, const unsigned char *before) {
  for (int i = 0; i < 1000; ++i) {
    usleep(10000);
    if (!watched) {
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

// The uprobe is removed at once. If a prefix is kept, the probe is then on
// again. Returns whether the site is on and does not need its first byte.
static int goes(const char *name, long (*function)(long), unsigned hits) {
  unsigned char before[5];
  memcpy(before, (const void *)function, sizeof before);
  tprt_selector selector = {.function = name, .module = "*/uprobes-that-go*", .flags = TPRT_SELECT_CODE | TPRT_SELECT_LOADED};
  tprt_action action = {.kind = TPRT_ACTION_COUNT};
  tprt_probe *probe = NULL;
  tprt_probe_attach(&selector, &action, &probe, NULL);
  const unsigned char *now = (const void *)function;
  const int needsFirst = now[0] != before[0] && memcmp(now + 1, before + 1, 4) != 0;
  wrong += function(1) != 2;
  for (int i = 0; i < 3 && !needsFirst; ++i) {
    int event = openUprobe(function);
    wrong += function(2) != 3;
    close(event);
    wrong += function(3) != 4;
  }
  if (!probe)
    return 0;
  wrong += tprt_probe_count(probe) != (needsFirst ? 1 : hits);
  wrong += tprt_probe_detach(probe, -1) != TPRT_STATUS_OK;
  wrong += memcmp(now, before, sizeof before) != 0;
  return !needsFirst;
}

static void forkUnder(const char *name, long (*function)(long)) {
  tprt_probe *probe = attachTo(name);
  usleep(200000); // an attach checks for uprobes as well
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
  watched = strcmp(what, "attach") != 0;
  if (strcmp(what, "control") == 0 && tprt_control_start() != TPRT_STATUS_OK)
    return 1;
  if (strcmp(what, "fork") == 0) {
    forkUnder("jump", jump);
    forkUnder("bare_jump", bare_jump);
    forkUnder("bare_hop", bare_hop);
    forkUnder("pun", pun);
    forkUnder("relative", relative);
    for (int i = 0; i < 10; ++i)
      forkUnder("number", number);
    printf("in children: %ld wrong results\n", wrong);
    return 0;
  }
  if (strcmp(what, "goes") == 0) {
    int on = goes("jump", jump, 4) + goes("hop", hop, 4) + goes("hop_odd", hop_odd, 4);
    on += goes("bare_jump", bare_jump, 1) + goes("bare_hop", bare_hop, 1) + goes("pun", pun, 1) + goes("relative", relative, 1);
    printf("at %d of 7 functions\n%ld wrong results\n", on, wrong);
    return 0;
  }
  if (watched) {
    run("number", number);
    run("number_of_two", number_of_two);
  } else {
    run("bare_jump", bare_jump);
    run("bare_hop", bare_hop);
    run("pun", pun);
    run("relative", relative);
  }
  printf("%ld wrong results\n", wrong);
  return 0;
}
