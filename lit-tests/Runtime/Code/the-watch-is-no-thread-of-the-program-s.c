// All of the C library is probed, and the thread that looks for uprobes calls it hundreds of times a second. If this
// fails, the program's handlers run on a thread that the program did not start, or the figures include calls that the
// program did not make. Or the program does not end when all its own threads have ended.
//
// REQUIRES: x86_64-host
// RUN: gcc -O1 %s %tprt_flags -pthread -o %t
// RUN: %t | FileCheck %s
// RUN: timeout -s KILL 60 %t leave | FileCheck %s --check-prefix=LEAVE
//
// LEAVE: at the end: 1 hit
//
// CHECK: the watch runs
// CHECK-NEXT: 0 hits on other threads, 0 counted, 0 missed
#define _GNU_SOURCE
#include "Inputs/watch.h"
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>

static int self;
static volatile int others, ready;

// Calls no function of the C library.
static long call(long number, long first, long second) {
  long result;
  __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(first), "S"(second) : "rcx", "r11", "memory");
  return result;
}

static void handle(const tprt_event *event, const tprt_regs *regs, void *data) {
  (void)event, (void)regs, (void)data;
  if (ready && call(SYS_gettid, 0, 0) != self)
    ++others;
}

// How often a thread has slept, according to its file in /proc.
static long sleepsOf(int thread) {
  char path[64], line[128];
  long count = 0;
  snprintf(path, sizeof path, "/proc/self/task/%d/status", thread);
  FILE *file = fopen(path, "r");
  while (file && fgets(line, sizeof line, file))
    sscanf(line, "voluntary_ctxt_switches: %ld", &count);
  if (file)
    fclose(file);
  return count;
}

// The last thread, which is the watch, calls this. The calls here are the program's.
static tprt_probe *atEnd;
static void end(void) {
  uint64_t before = tprt_probe_count(atEnd);
  number(1);
  printf("at the end: %d hit\n", (int)(tprt_probe_count(atEnd) - before));
}

int main(int count, char **arguments) {
  (void)arguments;
  self = gettid();
  tprt_probe *probe = attachCode("number");
  int watch = awaitWatch(1);
  atEnd = probe;
  if (count > 1) {
    atexit(end);
    pthread_exit(NULL);
  }
  tprt_selector all = {.kinds = TPRT_KIND_SET_ALL, .module = "*/libc.so.6", .flags = TPRT_SELECT_CODE | TPRT_SELECT_LOADED};
  tprt_probe *handled = NULL, *counted = NULL;
  tprt_probe_attach(&all, &(tprt_action){.kind = TPRT_ACTION_CALL, .handler = handle}, &handled, NULL);
  tprt_probe_attach(&all, &(tprt_action){.kind = TPRT_ACTION_COUNT}, &counted, NULL);
  ready = 1;
  uint64_t missed = readStats().missed;
  long before = sleepsOf(watch), sleeps = before;
  for (int i = 0; i < 6000 && sleeps < before + 10; ++i, sleeps = sleepsOf(watch))
    usleep(10000);
  uint64_t hits = tprt_probe_count(counted);
  before = sleeps;
  uint64_t mine = tprt_probe_count(counted) - hits; // by this call itself
  struct timespec pause = {0, 500000000};
  hits = tprt_probe_count(counted);
  call(SYS_nanosleep, (long)&pause, 0);
  hits = tprt_probe_count(counted) - hits - mine;
  ready = 0;
  missed = readStats().missed - missed;
  tprt_probe_detach(handled, -1);
  tprt_probe_detach(counted, -1);
  sleeps = sleepsOf(watch);
  printf("the watch %s\n", watch && sleeps > before ? "runs" : "does NOT run");
  printf("%d hits on other threads, %lu counted, %lu missed\n", others, (unsigned long)hits, (unsigned long)missed);
  return number(1) != 2 || tprt_probe_detach(probe, -1);
}
