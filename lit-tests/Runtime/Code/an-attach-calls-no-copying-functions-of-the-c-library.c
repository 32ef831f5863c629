// If this fails, libtprt copies memory by functions of the C library. If these
// functions are probed, and especially if they have traps, an attach to a large
// library causes hundreds of thousands of hits, and takes seconds.
//
// RUN: gcc -O1 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: functions of libstdc++ are on
// CHECK-NEXT: copying functions were called rarely
#include "tprt/tprt.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

// The loader chose the functions behind these names when the program started.
static void *(*volatile move)(void *, const void *, size_t) = memmove;
static void *(*volatile copy)(void *, const void *, size_t) = memcpy;
static void *(*volatile set)(void *, int, size_t) = memset;
static int (*volatile compare)(const void *, const void *, size_t) = memcmp;

static tprt_probe *count(const void *function) {
  tprt_selector at = {.address = function,
                      .kinds = TPRT_KIND_SET_ENTRY,
                      .flags = TPRT_SELECT_CODE | TPRT_SELECT_LOADED |
                               TPRT_SELECT_TRAPS};
  tprt_action action = {.kind = TPRT_ACTION_COUNT};
  tprt_probe *probe = 0;
  if (tprt_probe_attach(&at, &action, &probe, 0) != TPRT_STATUS_OK)
    printf("%s\n", tprt_error_string());
  return probe;
}

int main(void) {
  if (!dlopen("libstdc++.so.6", RTLD_NOW))
    return 1;
  tprt_probe *probes[] = {count((void *)move), count((void *)copy),
                          count((void *)set), count((void *)compare)};
  tprt_selector all = {.function = "*",
                       .module = "*/libstdc++*",
                       .kinds = TPRT_KIND_SET_ALL,
                       .flags = TPRT_SELECT_CODE | TPRT_SELECT_LOADED};
  tprt_action action = {.kind = TPRT_ACTION_COUNT};
  tprt_probe *probe = 0;
  tprt_probe_attach(&all, &action, &probe, 0);
  uint64_t calls = 0;
  for (int i = 0; i < 4; ++i)
    calls += tprt_probe_count(probes[i]);
  printf("functions of libstdc++ are %s\n", probe ? "on" : tprt_error_string());
  if (calls < 100)
    printf("copying functions were called rarely\n");
  else
    printf("copying functions were called %llu times\n",
           (unsigned long long)calls);
  return 0;
}
