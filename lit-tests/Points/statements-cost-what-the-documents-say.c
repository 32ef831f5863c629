// If this fails, a statement costs more than 16 bytes of table and 9 bytes of hot text, or needs a
// relocation at run time, or exports a symbol, or has a symbol that keeps its library loaded
// forever.
//
// GCC for AArch64 is left out: it copies static branches to the end of cold blocks, so that each statement has
// two records.
//
// RUN: %points_matrix %s -o %t --no-run --compilers gcc,clang,aarch64-clang --std c11,c++17 --flags="-O2 -fPIC -shared -nostdlib" --then="%python -B %S/Inputs/tables.py {} 48"
#include <tprt/trace.h>
TPRT_POINT(point);
TPRT_POINT_USDT(provider, probe);
#define FOUR(point) TPRT_TRACE(point, "%d %s", n, text); TPRT_TRACE(point, "%d", n); TPRT_TRACE(point, "none"); TPRT_TRACE(point, "%p %d", (const void *)text, 7);
#define SIXTEEN(point) FOUR(point) FOUR(point) FOUR(point) FOUR(point)
#ifdef __cplusplus
extern "C"
#endif
int exported(int n, const char *text);
__attribute__((always_inline)) inline int in_header(int n, const char *text) {
  SIXTEEN(probe)
  return n;
}
int exported(int n, const char *text) {
  SIXTEEN(point)
  SIXTEEN(probe)
  return in_header(n, text) + 1;
}
