// The library of libraries-have-points-of-their-own.c.
#include "open-points.h"
#include "shared.h"
#ifdef __cplusplus
extern "C"
#endif
    const void *
    work(int number, int open);
const void *work(int number, int open) {
  if (open)
    open_points();
  TPRT_TRACE(point, "in the library %d", number);
  static_inline(2);
  return &point;
}
