// A child of vfork runs on its parent's thread and memory, so its calls are that thread's in the
// recording, and the parent's calls after them are there, too. Its _exit does not end the
// recording.
//
// REQUIRES: x86_64-host
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s -o %t %tprt_flags
// RUN: rm -f %t.rec && %t %t.rec | FileCheck %s --check-prefix=SAID
// RUN: %tpctl trace %t.rec 2>&1 | FileCheck %s
// RUN: %tpctl report %t.rec 2>&1 | FileCheck %s --check-prefix=REPORT
//
// SAID: the recording is open
// CHECK: {{[0-9.]+ +}}[[#PARENT:]] {{.*}} inParent
// CHECK: {{ }}[[#PARENT]] {{.*}} inVforked
// CHECK: {{ }}[[#PARENT]] {{.*}} inParent
// REPORT: 6 events of 1 thread {{.*}}, none lost
#include "../Inputs/record.h"
#include "tprt/trace_file.h"
#include <fcntl.h>
#include <sys/wait.h>

__attribute__((noinline)) void inParent(void) { __asm__ volatile(""); }
__attribute__((noinline)) void inVforked(void) { __asm__ volatile(""); }

int main(int count, char **arguments) {
  (void)count;
  startRecording(arguments[1], TPRT_RECORDING_MODE_ALL, 0);
  recordFunctions("in*");
  inParent();
  if (!vfork()) {
    inVforked();
    _exit(0);
  }
  wait(NULL);
  inParent();
  struct tprt_trace_header header;
  if (pread(open(arguments[1], O_RDONLY), &header, sizeof header, 0) == sizeof header)
    puts(header.state == TPRT_TRACE_STATE_OPEN ? "the recording is open" : "the child has closed the recording");
}
