// A program with USDT probes, both kinds, for their readers.
#include "open-points.h"
#include <tprt/trace.h>
TPRT_POINT_USDT(myserver, request);
TPRT_POINT_USDT(myserver, reply);
__attribute__((noinline)) static int work(int n, double d, const char *text, signed char c, unsigned short u, long l) {
  TPRT_TRACE_INLINE(request, "%d %g %s %d %u %ld %d", n, d, text, c, u, l, 7);
  TPRT_TRACE(reply, "%d %g %s %d %u %ld %d %d %d %d", n, d, text, c, u, l, n + 1, n + 2, n + 3, n + 4);
  TPRT_TRACE(reply, "none");
  return n;
}
int main(int argc, char **argv) {
  (void)argv;
#ifdef OPEN
  open_points();
#endif
  return work(argc + 41, 2.5, "text", -3, 65535, -5000000000) != 42;
}
