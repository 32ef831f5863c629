// If this fails, times of functions are wrong after a tail call, an exception or a longjmp.
// RUN: %tp_clangxx -O2 -ftp-entry=2,0 -ftp-exit %s %tprt_flags -o %t
// RUN: %run %t | FileCheck %s
#include "tprt/duration.h"
#include <csetjmp>
#include <cstdio>

#define TRACED extern "C" __attribute__((noinline))
static jmp_buf Back;
TRACED int leaf(int X) { __asm__ volatile(""); return X + 1; }
TRACED int outer(int X) { return leaf(X) + leaf(X) + 1; }
TRACED int tail(int X) { __asm__ volatile(""); return leaf(X); }
TRACED int recurse(int X) { int R = X ? recurse(X - 1) : 0; __asm__ volatile("" : "+r"(R)); return R + X; }
TRACED void thrower(int X) { if (X) throw X; }
TRACED int jumper(int X) { longjmp(Back, X); }
TRACED int catcher(int X) { try { thrower(X); } catch (int) { return leaf(1); } return 0; }
TRACED int landing(int X) { if (setjmp(Back) == 0) jumper(X); return 0; }

TRACED __attribute__((tp_entry(0))) int quiet(int X) { __asm__ volatile(""); return X; }
TRACED int afterwards(int X) { if (setjmp(Back) == 0) jumper(X); return quiet(X) + 1; }

static void tell(const tprt_duration *D, void *) {
  tprt_site_info Info;
  tprt_site_describe(D->entry, &Info);
  std::printf("%s depth %u%s%s%s\n", Info.name, D->depth, D->flags & TPRT_DURATION_TAIL ? " tail" : "",
              D->flags & TPRT_DURATION_ABANDONED ? " abandoned" : "", D->ticks >> 40 ? " absurd" : "");
}

int main() {
  tprt_selector Selector = {};
  // A handler cannot read a module's symbols, so the test reads them once before.
  tprt_site_visit(&Selector, [](const tprt_site *Site, void *) {
    tprt_site_info Info;
    return int(tprt_site_describe(Site, &Info));
  }, nullptr);
  tprt_duration_probe *Durations;
  // Not all calls are reported: one call leaves only by longjmp.
  if (tprt_duration_probe_attach(&Selector, tell, nullptr, 0, &Durations, nullptr) != TPRT_STATUS_PARTIAL)
    return std::printf("%s\n", tprt_error_string());
  // CHECK:      leaf depth 1{{$}}
  // CHECK-NEXT: leaf depth 1{{$}}
  // CHECK-NEXT: outer depth 0{{$}}
  outer(1);
  // CHECK-NEXT: tail depth 0 tail{{$}}
  // CHECK-NEXT: leaf depth 0{{$}}
  tail(1);
  // CHECK-NEXT: recurse depth 2{{$}}
  // CHECK-NEXT: recurse depth 1{{$}}
  // CHECK-NEXT: recurse depth 0{{$}}
  recurse(2);
  // CHECK-NEXT: thrower depth 1 abandoned{{$}}
  // CHECK:      catcher depth 0
  catcher(1);
  // CHECK:      jumper depth 1 abandoned{{$}}
  // CHECK-NEXT: landing depth 0{{$}}
  landing(1);
  // An exit at the same place of the stack, of a function whose entry was not
  // seen.
  // CHECK-NEXT: jumper depth 1 abandoned{{$}}
  // CHECK-NEXT: afterwards depth 0
  afterwards(1);
  // CHECK-NEXT: detached 0, lost 0
  std::printf("detached %d, lost %d\n", tprt_duration_probe_detach(Durations, -1), (int)tprt_duration_lost());
  outer(1);
  // CHECK-NOT: depth
}
