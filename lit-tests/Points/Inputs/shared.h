// A point and inline functions that two files share.
#include <tprt/trace.h>
TPRT_POINT(point);
static inline void static_inline(int number) { TPRT_TRACE(point, "static inline %d", number); }
inline void c99_inline(int number) { TPRT_TRACE(point, "inline %d", number); }
void other_file(int number);
const void *other_point_of_file(void);
