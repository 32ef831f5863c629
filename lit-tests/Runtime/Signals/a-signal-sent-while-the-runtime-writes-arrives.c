// A signal that another process or thread sends while the runtime writes a line must reach
// the program. Only a signal from a failed write of the runtime is discarded.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_interposed_flags -o %t
// RUN: env TPRT_OPTIONS=verbose=1 %t 2>&1 | FileCheck %s
//
// CHECK: tprt:
// CHECK: SIGPIPE: 1, SIGXFSZ: 1
#include "tprt/tprt.h"
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile int sends, pipes, sizes;
ssize_t write(int file, const void *bytes, size_t count) {
  if (file == 2 && sends) {
    pthread_kill(pthread_self(), SIGPIPE);
    pthread_kill(pthread_self(), SIGXFSZ);
  }
  return syscall(SYS_write, file, bytes, count);
}
static void onSignal(int signal) {
  if (signal == SIGPIPE)
    ++pipes;
  else
    ++sizes;
}

int main() {
  signal(SIGPIPE, onSignal);
  signal(SIGXFSZ, onSignal);
  sends = 1;
  tprt_probe_detach(NULL, 0);
  sends = 0;
  printf("SIGPIPE: %d, SIGXFSZ: %d\n", pipes, sizes);
}
