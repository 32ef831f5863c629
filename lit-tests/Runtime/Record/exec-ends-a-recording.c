// A call of exec is in the recording, and ends the recording. If TPRT_OPTIONS requests a recording,
// the new program leaves the first file alone and writes a separate file, whose name has the
// process's number. A failed exec does not end the recording.
//
// REQUIRES: x86_64-host
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s -o %t
// RUN: rm -f %t.rec* && env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS="record=%t.rec:*Image" %t
// RUN: %tpctl trace %t.rec 2>&1 | FileCheck %s
// RUN: %tpctl trace %t.rec.* 2>&1 | FileCheck %s --check-prefix=SECOND
//
// CHECK-NOT: killed
// CHECK: firstImage
// CHECK-NEXT: * exec /proc/self/exe
// CHECK-NOT: secondImage
// SECOND-NOT: firstImage
// SECOND: secondImage
#include <stdio.h>
#include <unistd.h>

__attribute__((noinline)) void firstImage(void) { __asm__ volatile(""); }
__attribute__((noinline)) void secondImage(void) { __asm__ volatile(""); }

int main(int count, char **arguments) {
  if (count > 1) {
    secondImage();
    return 0;
  }
  execl("/nonexistent", "x", (char *)NULL);
  firstImage();
  execl("/proc/self/exe", arguments[0], "again", (char *)NULL);
  return 1;
}
