// If this fails, a preloaded libtprt changes signal actions that a program without sleds
// inherited at its start. Python, for example, then ignores Ctrl-C.
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
