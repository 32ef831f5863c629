// A handler uses the arguments to find the slowest call. The arguments must be those of
// the entry, however the function and the calls inside it have changed the registers.
//
// RUN: %tp_clang -O2 -ftp-entry=2,0 -ftp-exit %s %tprt_flags -o %t
// RUN: %run %t | FileCheck %s
//
// CHECK:      7 8 0: depth 1
// CHECK-NEXT: 2 3 4: depth 0
// CHECK-NEXT: 12 13 14: depth 1 abandoned
// CHECK-NEXT: 5 5 5: depth 0
// CHECK-NEXT: after the registers: 0
#include <setjmp.h>
#include <stdio.h>
#include <tprt/duration.h>
static jmp_buf back;
static unsigned long long behind = 1;
__attribute__((noinline)) long work(long a, long b, long c) {
  __asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c));
  if (a == 12)
    longjmp(back, 1);
  long more = a == 2 ? work(7, 8, 0) : a == 5 && setjmp(back) == 0 ? work(12, 13, 14) : 0;
  __asm__ volatile("" : "+r"(more));
  return a + b + c + more;
}
static void tell(const tprt_duration *call, void *unused) {
  long long arguments[3];
  for (unsigned i = 0; i < 3; ++i)
    arguments[i] = (long long)tprt_duration_argument(call, i);
  behind = tprt_duration_argument(call, TPRT_ARGUMENT_REGISTERS);
  printf("%lld %lld %lld: depth %u%s\n", arguments[0], arguments[1], arguments[2], call->depth,
         call->flags & TPRT_DURATION_ABANDONED ? " abandoned" : "");
}
int main() {
  tprt_selector selector = {.function = "work"};
  tprt_duration_probe *durations;
  if (tprt_duration_probe_attach(&selector, tell, NULL, 0, &durations, NULL))
    return puts(tprt_error_string());
  work(2, 3, 4);
  work(5, 5, 5);
  tprt_duration_probe_detach(durations, -1);
  printf("after the registers: %llu\n", behind);
}
