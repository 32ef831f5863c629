// If this fails, each hit in an executable reaches libtprt.so only by an indirect jump,
// or the direct jump crashes.
//
// REQUIRES: tp-clang, x86_64-host
// RUN: %tp_clang -O2 -ftp-entry=2,0 -ftp-exit -I %tprt_include %s -o %t && %run %t own
// RUN: %tp_clang -O2 -ftp-entry=2,0 -ftp-exit -I %tprt_include %s -o %t -no-pie && %run %t own
// RUN: %tp_clang -O2 -ftp-entry=2,0 -ftp-exit -I %tprt_include %s -o %t %use_lld -Wl,--gc-sections && %run %t own
// RUN: %tp_clang -O2 -ftp-entry=2,0 -ftp-exit -I %tprt_include %s -o %t %{libdir}/libtprt.a && %run %t own
// RUN: %tp_clang -O2 -ftp-entry=2,0 -ftp-exit -I %tprt_include -o %t -x c - < %s && %run %t own
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s -o %t %tprt_flags && %run %t libtprt
// RUN: %tp_clang -shared -### %s 2>&1 | FileCheck %s --implicit-check-not=tprt_near.o
// CHECK: {{ld|collect}}
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <tprt/tprt.h>

static const char *caller[2];

__attribute__((noinline)) int work(int i) {
  __asm__ volatile("");
  return i + 1;
}

static void handler(const tprt_event *event, const tprt_regs *regs, void *data) {
  (void)regs, (void)data;
  Dl_info info = {0};
  dladdr(__builtin_return_address(0), &info);
  caller[event->kind != TPRT_KIND_ENTRY] = info.dli_fname;
}

int main(int argc, char **argv) {
  (void)argc;
  tprt_selector selector = {.function = "work", .kinds = TPRT_KIND_SET_ALL};
  tprt_action action = {.handler = handler};
  tprt_probe *probe;
  if (tprt_probe_attach(&selector, &action, &probe, 0))
    return fprintf(stderr, "%s\n", tprt_error_string());
  // A thread's first hit always uses libtprt's trampolines.
  if (work(work(1)) != 3 || !caller[0] || !caller[1])
    return puts("no hit");
  for (int i = 0; i < 2; ++i)
    if (!strstr(caller[i], "libtprt") != !strcmp(argv[1], "own"))
      return printf("called from %s\n", caller[i]);
  return 0;
}
