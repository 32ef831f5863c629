// If this fails, a line of print= is written in pieces, so that the lines of other threads, or of a
// signal handler that interrupted the print, are mixed into that line, or a line is lost.
//
// RUN: %plain_clang -O2 %s %tprt_flags -lpthread -o %t
// RUN: rm -f %t.lines && env TPRT_OPTIONS=print=worked,print=signalled,output=%t.lines %t
// RUN: FileCheck %s < %t.lines --check-prefix=LINE
// RUN: %python -c "import re, sys; t = open(sys.argv[1]).read().splitlines(); r = re.compile(r'\d\d:\d\d:\d\d\.\d{6} \d+ (worked: thread=[0-3] number=\d+ text=(x{200})|signalled: number=\d+)'); print(sum(1 for l in t if 'worked' in l), 'lines,', sum(1 for l in t if not r.fullmatch(l)), 'torn,', 'signals' if any('signalled' in l for l in t) else 'none')" %t.lines | FileCheck %s
//
// CHECK: 20000 lines, 0 torn, signals
// LINE: worked: thread={{[0-3]}} number=0
#include "tprt/trace.h"
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>

TPRT_POINT(worked);
TPRT_POINT(signalled);

static char text[201];
static void on_alarm(int number) { TPRT_TRACE(signalled, "number=%d", number); }
static void *work(void *data) {
  int thread = (int)(long)data;
  for (int i = 0; i < 5000; ++i)
    TPRT_TRACE(worked, "thread=%d number=%d text=%s", thread, i, text);
  raise(SIGALRM); // also if no timer fired in time
  return NULL;
}
int main(void) {
  memset(text, 'x', sizeof text - 1);
  signal(SIGALRM, on_alarm);
  struct itimerval often = {{0, 200}, {0, 200}};
  setitimer(ITIMER_REAL, &often, NULL);
  pthread_t threads[4];
  for (long i = 0; i < 4; ++i)
    pthread_create(&threads[i], NULL, work, (void *)i);
  for (int i = 0; i < 4; ++i)
    pthread_join(threads[i], NULL);
  return 0;
}
