// If this fails, libtprt's own threads crash in programs whose thread-local variables are nearly as large as a thread's
// stack, or that set a small default size of stacks. glibc puts these variables into the stack, and creates a thread even
// if they leave 2 KiB. The default size is the limit of the main thread's stack, but libtprt uses at most 64 MiB of it.
//
// REQUIRES: x86_64-host
// RUN: gcc -O1 %s %tprt_flags -o %t -pthread
// RUN: %t small | FileCheck %s
// RUN: gcc -O1 %s %tprt_flags -o %t.8 -pthread -DKILOBYTES=8184
// RUN: bash -c 'ulimit -s 8192; %t.8' | FileCheck %s
// RUN: gcc -O1 %s %tprt_flags -o %t.64 -pthread -DKILOBYTES=65528
// RUN: bash -c 'ulimit -s 131072 && %t.64 || echo no limit of 128 MiB: the control answers' | FileCheck %s
//
// The work thread goes deep when it looks at code.
// RUN: bash -c 'ulimit -s 8192; %tpctl count "libc.so*!getppid" --code -- %t.8' 2>&1 | FileCheck %s --check-prefixes=CHECK,COUNTED
// RUN: %tpctl count 'libc.so*!getppid' --code -- %t small 2>&1 | FileCheck %s --check-prefixes=CHECK,COUNTED
//
// CHECK: the control answers
// COUNTED: getppid
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <tprt/control.h>
#include <tprt/tprt.h>
#include <unistd.h>

#ifdef KILOBYTES
static volatile __thread char local[KILOBYTES << 10];
#else
static volatile __thread char local[1];
#endif

// Makes the work thread select functions, too.
static int hits_are_counted(void) {
  tprt_selector selector = {.module = "libc.so*", .function = "getppid", .flags = TPRT_SELECT_CODE};
  tprt_action action = {.kind = TPRT_ACTION_COUNT};
  tprt_probe *probe;
  if (tprt_probe_attach(&selector, &action, &probe, NULL) != TPRT_STATUS_OK)
    return 0;
  getppid();
  int counted = (int)tprt_probe_count(probe) > 0;
  return tprt_probe_detach(probe, -1) == TPRT_STATUS_OK && counted;
}

int main(int count, char **arguments) {
  if (count > 1) {
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 16384);
    pthread_setattr_default_np(&small);
  }
  local[sizeof local - 1] = 1;
  const int status = tprt_control_start();
  if (status == TPRT_STATUS_OK && hits_are_counted())
    puts("the control answers");
  else
    printf("status %d: %s\n", status, tprt_error_string());
  return 0;
}
