// The second file of programs with two files. It has the definition of the inline function for C, a
// point of the same name, and a point with the name of a function in another file.
#include "shared.h"
TPRT_POINT(other_point);
#ifndef __cplusplus
extern inline void c99_inline(int number);
#endif
void other_file(int number) {
  TPRT_TRACE(other_point, "other file %d", number);
  c99_inline(number);
}
const void *other_point_of_file(void) { return &point; }
