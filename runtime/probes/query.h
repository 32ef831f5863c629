// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The API calls that only read, and what they prepare when the library is
// loaded.
#ifndef TPRT_PROBES_QUERY_H
#define TPRT_PROBES_QUERY_H

namespace tprt {

// Called at the start, as startThreads() is, so that its thread key is an early
// one.
void startVisits();

} // namespace tprt

#endif
