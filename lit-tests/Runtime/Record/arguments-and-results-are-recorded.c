// On request, integer arguments and results are in the recording, and strings with their
// characters. A string that is NULL, cannot be read or is long does no harm. A register that
// holds no argument by the function's record is not shown.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s -o %t %tprt_flags
// RUN: rm -f %t.rec && %t %t.rec
// RUN: %tpctl trace %t.rec 2>&1 | FileCheck %s
// RUN: rm -f %t.rec && env TPRT_OPTIONS="record=%t.rec:v_*,args=2,results=1,strings=1" %t
// RUN: %tpctl trace %t.rec 2>&1 | FileCheck %s
//
// CHECK: v_named(arg0="hello", arg1=0x7) = 0xe{{$}}
// CHECK: v_named(arg0=0x0, arg1=0x8) = 0x10{{$}}
// CHECK: v_named(arg0=0x10 (unreadable), arg1=0x9) = 0x12{{$}}
// CHECK: v_named(arg0="{{x+}}"..., arg1=0x1) = 0x2{{$}}
// CHECK: v_named(arg0="", arg1=0x2) = 0x4{{$}}
#include "../Inputs/record.h"
#include <string.h>

__attribute__((noinline)) int v_named(const char *text, int number) {
  __asm__ volatile("" ::"r"(text));
  return number * 2;
}

int main(int count, char **arguments) {
  if (count > 1) {
    startRecording(arguments[1], TPRT_RECORDING_MODE_ALL, 0);
    tprt_selector selector = {.function = "v_*", .kinds = TPRT_KIND_SET_ALL};
    tprt_recording_values values = {.arguments = 2, .results = 1, .strings = 1};
    mustBeOk(tprt_recording_add(&selector, &values, NULL));
  }
  static char longText[1000];
  memset(longText, 'x', sizeof longText - 1);
  v_named("hello", 7);
  v_named(NULL, 8);
  v_named((const char *)16, 9);
  v_named(longText, 1);
  v_named(longText + sizeof longText - 1, 2);
  return 0;
}
