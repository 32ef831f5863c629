// If standard output is full or closed, each verb of tpctl reports that and exits with 1. No file that tpctl opens may
// get the descriptor of a closed output: the text would be written to that file. A closed or full standard error is not
// a failure.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s %tprt_flags -o %t
// RUN: env TPRT_OPTIONS=control=1 %t %tpctl 2>&1 | FileCheck %s
//
// CHECK: tpctl: error: cannot write standard output: No space left on device
// CHECK-NEXT: status >/dev/full: 1
// CHECK-NEXT: tpctl: error: cannot write standard output: Bad file descriptor
// CHECK-NEXT: status >&-: 1
// CHECK-NEXT: tpctl: error: cannot write standard output: Bad file descriptor
// CHECK-NEXT: count busy --for 50ms >&-: 1
// CHECK-NEXT: hist busy --for 50ms 2>&- >/dev/null: 0
// CHECK-NEXT: trace busy --for 50ms 2>/dev/full >/dev/null: 0
// CHECK-NEXT: tpctl: error: --for takes a time above 0
// CHECK-NEXT: count busy --for 0: 2
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((noinline)) static void busy(void) { __asm__ volatile(""); }

static void *work(void *unused) {
  for (;;) {
    busy();
    usleep(1000);
  }
  return unused;
}

static void run(const char *tpctl, const char *arguments) {
  char command[4096];
  const char *behindVerb = strchr(arguments, ' ');
  snprintf(command, sizeof command, "%s %.*s -p %d%s", tpctl, (int)(behindVerb - arguments), arguments, getpid(), behindVerb);
  int status = system(command);
  printf("%s: %d\n", arguments, WEXITSTATUS(status));
  fflush(stdout);
}

int main(int argc, char **argv) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  static const char *const all[] = {"status >/dev/full", "status >&-", "count busy --for 50ms >&-",
                                    "hist busy --for 50ms 2>&- >/dev/null", "trace busy --for 50ms 2>/dev/full >/dev/null",
                                    "count busy --for 0"};
  for (int i = 0; argc > 1 && i < (int)(sizeof all / sizeof all[0]); ++i)
    run(argv[1], all[i]);
  return 0;
}
