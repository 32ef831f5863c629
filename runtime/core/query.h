// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The calls that only look.
#ifndef TPRT_CORE_QUERY_H
#define TPRT_CORE_QUERY_H

namespace tprt {

// At the start, as startThreads(): so that the key is an early one.
void startVisits();

} // namespace tprt

#endif
