// A function that two calls of tprt_recording_add() choose is recorded once: each call of it has
// one entry and one exit, with the values that the first selector asked for. A second recording,
// or one without options, is refused with a message.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s -o %t %tprt_flags
// RUN: rm -f %t.rec && %t %t.rec | FileCheck %s --check-prefix=SAID
// RUN: %tpctl trace %t.rec 2>&1 | FileCheck %s
//
// SAID: there is no recording: call tprt_recording_start() first
// SAID-NEXT: a recording is under way already: {{.*}}.rec; stop it first
// SAID-NEXT: there is no recording to stop
// CHECK: double_(arg0=0x15) = 0x2a
// CHECK-NOT: double_
// CHECK: other
// CHECK-NOT: other
#include "../Inputs/record.h"

__attribute__((noinline)) int double_(int x) {
  __asm__ volatile("");
  return 2 * x;
}
__attribute__((noinline)) void other(void) { __asm__ volatile(""); }

int main(int count, char **arguments) {
  (void)count;
  tprt_selector selector = {.function = "double_", .kinds = TPRT_KIND_SET_ALL};
  tprt_recording_values values = {.arguments = 1, .results = 1};
  tprt_recording_options options = {.file = arguments[1]};
  if (tprt_recording_add(&selector, &values, NULL) != TPRT_STATUS_OK)
    puts(tprt_error_string());
  startRecording(arguments[1], TPRT_RECORDING_MODE_ALL, 0);
  if (tprt_recording_start(&options) != TPRT_STATUS_OK)
    puts(tprt_error_string());
  mustBeOk(tprt_recording_add(&selector, &values, NULL));
  recordFunctions("*o*");
  double_(21);
  other();
  mustBeOk(tprt_recording_stop());
  if (tprt_recording_stop() != TPRT_STATUS_OK)
    puts(tprt_error_string());
}
