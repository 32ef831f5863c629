// A function pops words before it returns. Its unwind table still refers to these words, below the stack
// pointer. If a hit overwrites them, a backtrace in a handler is wrong or crashes, and the catcher of an
// exception from a handler gets wrong registers.
//
// RUN: g++ -O2 -fno-omit-frame-pointer %s %tprt_flags -rdynamic -o %t
// RUN: %t | FileCheck %s
//
// CHECK: returns: backtrace right, 1000 caught, 0 wrong
// CHECK-NEXT: goes_on: backtrace right, 1000 caught, 0 wrong
// CHECK-NEXT: goes_on_by_register: backtrace right, 1000 caught, 0 wrong
#include "../Inputs/harness.h"
#include <cstring>
#include <dlfcn.h>
#include <execinfo.h>

static const char *tested;
static bool throws, right;

static bool isNamed(void *frame, const char *name) {
  Dl_info info;
  return dladdr(static_cast<char *>(frame) - 1, &info) && info.dli_sname && !strcmp(info.dli_sname, name);
}

static void on(const tprt_event *, const tprt_regs *, void *) {
  if (throws)
    throw 7;
  void *frames[32];
  int count = backtrace(frames, 32), i = 0;
  while (i < count && !isNamed(frames[i], tested))
    ++i;
  right = i + 2 < count && isNamed(frames[i + 1], "caller") && isNamed(frames[i + 2], "main");
}

extern "C" {
__attribute__((noinline)) long next(long x) {
  __asm__ volatile("" : "+r"(x));
  return x + 1;
}
long (*volatile mayThrow)(long) = next;

// Each function keeps values in all callee-saved registers. They differ from its caller's values.
#define FUNCTION(NAME, LEAVE) \
  __attribute__((noinline)) long NAME(long a, long b) { \
    long c = mayThrow(a), d = mayThrow(c), e = mayThrow(d), f = mayThrow(e), g = mayThrow(f); \
    mayThrow(g); \
    long sum = a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g; \
    LEAVE; \
  }
FUNCTION(returns, return sum)
FUNCTION(goes_on, return next(sum))
FUNCTION(goes_on_by_register, return mayThrow(sum))

__attribute__((noinline)) bool caller(long (*function)(long, long), long i) {
  long a = mayThrow(i), b = mayThrow(a), c = mayThrow(b), d = mayThrow(c), e = mayThrow(d);
  bool caught = !throws;
  try {
    function(i, 99);
  } catch (int) {
    caught = true;
  }
  mayThrow(0);
  return caught && a == i + 1 && b == i + 2 && c == i + 3 && d == i + 4 && e == i + 5;
}
}

__attribute__((always_inline)) static inline void probe(const char *name, long (*function)(long, long)) {
  tprt_selector selector = {};
  selector.function = tested = name;
  selector.kinds = TPRT_KIND_SET_EXIT;
  selector.flags = TPRT_SELECT_CODE | TPRT_SELECT_TRAPS;
  selector.module = "*/backtraces-at-exits*";
  tprt_action action = {};
  action.handler = on;
  tprt_probe *probe = attachSelected(selector, action);
  throws = right = false;
  caller(function, 1);
  printf("%s: backtrace %s, ", name, right ? "right" : "wrong");
  fflush(stdout);
  throws = true;
  int wrong = 0;
  for (long i = 0; i < 1000; ++i)
    wrong += !caller(function, i);
  printf("1000 caught, %d wrong\n", wrong);
  tprt_probe_detach(probe, -1);
}

int main() {
  probe("returns", returns);
  probe("goes_on", goes_on);
  probe("goes_on_by_register", goes_on_by_register);
  return 0;
}
