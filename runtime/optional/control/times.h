#ifndef X_TIMES
#define X_TIMES
#include "tprt/tprt.h"
#include <stddef.h>
namespace tprt {
struct TimedGroup;
inline TimedGroup *makeTimed() { return nullptr; }
inline tprt_status addTimed(TimedGroup *, const tprt_selector *,
                            tprt_result &) {
  return TPRT_STATUS_UNSUPPORTED;
}
inline tprt_status endTimed(TimedGroup *, int) { return TPRT_STATUS_OK; }
inline uint64_t timedCalls(TimedGroup *) { return 0; }
inline size_t sitesOfTimed(TimedGroup *) { return 0; }
inline bool hasSites(TimedGroup *) { return false; }
} // namespace tprt
#endif
