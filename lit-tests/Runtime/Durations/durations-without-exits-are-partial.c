// Functions that were built without exit sleds have no durations: attach must report
// that, not success.
//
// RUN: %tp_clang -O2 -ftp-entry=2,0 %s %tprt_flags -o %t.entries
// RUN: %run %t.entries | FileCheck %s --check-prefix=PARTIAL
// RUN: %tp_clang -O2 -ftp-entry=2,0 -ftp-exit %s %tprt_flags -o %t
// RUN: %run %t | FileCheck %s
//
// PARTIAL: 3: 2 functions are entered but not left, the first {{inner|outer}} (0x{{.*}}-ftp-exit
// CHECK: 0: {{$}}
#include <stdio.h>
#include <tprt/duration.h>
__attribute__((noinline)) void inner(void) { __asm__ volatile(""); }
__attribute__((noinline)) void outer(void) { inner(), inner(); }
static void onCall(const tprt_duration *duration, void *data) {}
int main() {
  tprt_selector selector = {.function = "*er"};
  tprt_duration_probe *durations;
  tprt_status status = tprt_duration_probe_attach(&selector, onCall, NULL, 0, &durations, NULL);
  printf("%d: %s\n", status, status ? tprt_error_string() : "");
  return tprt_duration_probe_detach(durations, -1);
}
