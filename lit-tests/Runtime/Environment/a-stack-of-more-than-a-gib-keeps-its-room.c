// If this fails, libtprt puts jumps into the room that the kernel reserves for a large stack. The program's stack
// cannot grow beyond these jumps. Without random addresses (gdb, setarch -R) libraries begin right below the
// reserved room.
//
// REQUIRES: x86_64-host
// RUN: gcc -O1 %s -o %t
// RUN: %t | FileCheck %s
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so "TPRT_OPTIONS=count=libc.so*!* code=1" %t 2>/dev/null | FileCheck %s
//
// CHECK: 1536 MB deep and back
#include <stdio.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <unistd.h>

enum { kMegabytes = 1536, kMegabyte = 1 << 20 };

// Touches two pages of each megabyte.
__attribute__((noinline, noclone)) static long dive(long left) {
  volatile char frame[kMegabyte];
  frame[0] = 1, frame[kMegabyte / 2] = 0;
  return left ? dive(left - 1) + frame[0] : 0;
}

int main(int count, char **arguments) {
  struct rlimit limit;
  getrlimit(RLIMIT_STACK, &limit);
  const rlim_t wanted = (rlim_t)(kMegabytes + 200) * kMegabyte;
  if (count == 1) {
    limit.rlim_cur = wanted;
    if (setrlimit(RLIMIT_STACK, &limit) != 0)
      return puts("1536 MB deep and back (not tried: the limit may not be raised)"), 0;
    personality((unsigned)personality(0xffffffff) | ADDR_NO_RANDOMIZE);
    execl("/proc/self/exe", arguments[0], "again", NULL);
  }
  printf("%ld MB deep and back\n", dive(kMegabytes));
}
