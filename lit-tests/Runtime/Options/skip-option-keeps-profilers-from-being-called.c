// TPRT_OPTIONS=skip=GLOB skips the calls of profilers in matching functions, from the start of the program on.
// tpctl on --skip does the same in a running program, and tpctl off restores the calls.
//
// REQUIRES: x86_64-host, tprt-code, tpctl
// RUN: gcc -O1 -fno-pie -no-pie -pg -c -DPART %s -o %t.part.o && gcc -O1 -fno-pie -no-pie %s %t.part.o -o %t
// RUN: %t | FileCheck %s --check-prefix=NONE
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS='skip=first verbose=2' %t 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS='skip=f* skip=second' %t 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS='skip=main' %t 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS='skip=f* count=callBoth code=1 traps=1' %t 2>&1 | FileCheck %s --check-prefix=BESIDE
// RUN: %t %tpctl | FileCheck %s --check-prefix=LIVE
//
// NONE: 200 calls of mcount
// ONE: skip=first: 1 site, 1 enabled
// ONE: 100 calls of mcount
// BOTH: {{^}}0 calls of mcount
// NOTHING: tprt: skip=main: no call of a profiler matches so far
// NOTHING: 200 calls of mcount
// BESIDE-NOT: sled
// BESIDE: {{^}}100 calls of mcount
// BESIDE-NOT: sled
// BESIDE: 1  callBoth
// LIVE: group 1 is on: 2 of 2 sites
// LIVE: 1 skip {{.*}} kept
// LIVE: {{^}}0 calls of mcount
// LIVE: 1 group is off
// LIVE: {{^}}200 calls of mcount
#ifdef PART
long first(long x) { return x + 1; }
long second(long x) { return x + 2; }
#else
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

long first(long), second(long);
long calls;
__asm__(".globl mcount\n.type mcount, @function\nmcount: incq calls(%rip)\nret\n.size mcount, . - mcount\n");

static void callBoth(void) {
  calls = 0;
  for (long i = 0; i < 100; ++i)
    if (first(i) != i + 1 || second(i) != i + 2)
      puts("wrong");
  printf("%ld calls of mcount\n", calls);
  fflush(stdout);
}

static void run(const char *tpctl, const char *arguments) {
  char command[4096];
  snprintf(command, sizeof command, "%s %s -p %d", tpctl, arguments, getpid());
  if (system(command))
    puts("tpctl failed");
}

int main(int argc, char **argv) {
  if (argc < 2) {
    callBoth();
    return 0;
  }
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
  run(argv[1], "on --skip first second");
  run(argv[1], "status");
  callBoth();
  run(argv[1], "off --all");
  callBoth();
  return 0;
}
#endif
