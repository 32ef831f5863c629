// If this fails, a program that has no sleds finds other actions of its signals than
// it was started with, because libtprt is preloaded. Python, for one, then ignores
// Ctrl-C.
//
// RUN: %plain_clang -O2 %s -o %t
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so "TPRT_OPTIONS=count=* verbose=0" %t
#include <signal.h>
int main(void) {
  for (int number = 1; number < 32; ++number) {
    struct sigaction now;
    if (sigaction(number, 0, &now) == 0 && now.sa_handler != SIG_DFL && now.sa_handler != SIG_IGN)
      return number;
  }
}
