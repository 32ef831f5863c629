// Statements in functions that run in AArch64's streaming mode, or with streaming state.
#include <tprt/trace.h>
TPRT_POINT(pp);
int f(int x,const char*s) __arm_streaming { TPRT_TRACE(pp,"%d %s",x,s); return x; }
__arm_locally_streaming int g(int x) { TPRT_TRACE(pp,"%d",x); return x; }
int h(int x) __arm_streaming_compatible { TPRT_TRACE(pp,"%d",x); return x; }
__arm_new("za") int k(int x) { TPRT_TRACE(pp,"%d",x); return x; }
