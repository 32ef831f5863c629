// The second file of points-of-one-name-are-one-object.c. It declares the same points in a header and
// again here, and has a function and a variable with names of the other file's points.
#include "same-names.h"
#ifdef __cplusplus
extern "C" {
#endif
int function_there(void);
extern int variable_there;
#ifdef __cplusplus
}
#endif
int function_there(void) { return 1; }
int variable_there = 2;
const struct tprt_point *point_there(void) { return &point; }
const struct tprt_usdt_point *usdt_there(void) { return &usdt_point; }
void from_there(void) { TPRT_TRACE(point, "from there"); }
