// If this fails, the printing of lines destroys the program's vector registers: a hit saves none
// for print=, and a preloaded library's write() or clock_gettime() may use them.
// RUN: %plain_clang -O2 -I %tprt_include %s -o %t
// RUN: %plain_clang -O2 -DPRELOADED -fPIC -shared %s -o %t.so
// RUN: env LD_PRELOAD=%t.so:%{libdir}/libtprt.so TPRT_OPTIONS=print=values,output=%t.lines %t | FileCheck %s
// CHECK: 1002003 1002003 1002003
// CHECK-NEXT: preloaded functions ran: no
// RUN: FileCheck %s --check-prefix=LINES < %t.lines
// LINES-COUNT-3: values: 1 2 3

#ifdef PRELOADED

#include <time.h>
#include <unistd.h>

// Computes with vectors, as any function may.
volatile double preloadedCalls;
ssize_t write(int file, const void *from, size_t bytes) {
  preloadedCalls = preloadedCalls * 0.5 + 1;
  return (ssize_t)bytes;
}
int clock_gettime(clockid_t clock, struct timespec *now) {
  preloadedCalls = preloadedCalls * 0.5 + 1;
  now->tv_sec = now->tv_nsec = 0;
  return 0;
}

#else

#include <stdio.h>
#include <tprt/trace.h>

TPRT_POINT(values);

extern volatile double preloadedCalls __attribute__((weak));

__attribute__((noinline)) double compute(double a, float b, double c) {
  TPRT_TRACE(values, "%g %g %g", a, b, c);
  return a * 1000000 + b * 1000 + c;
}

int main(void) {
  char line[100];
  int length = 0;
  for (int i = 0; i < 3; ++i)
    length += sprintf(line + length, "%.0f ", compute(1, 2, 3));
  volatile double *calls = &preloadedCalls;
  sprintf(line + length, "\npreloaded functions ran: %s\n", calls && *calls ? "yes" : "no");
  FILE *out = stdout;
  setvbuf(out, NULL, _IONBF, 0);
  fputs(line, out);
  return 0;
}

#endif
