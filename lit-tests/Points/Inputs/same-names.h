// Points that two files declare.
#include <tprt/trace.h>
TPRT_POINT(point);
TPRT_POINT_USDT(provider, usdt_point);
const struct tprt_point *point_there(void);
const struct tprt_usdt_point *usdt_there(void);
void from_there(void);
