// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The API calls that only read, and their preparation when the library is
// loaded.
#ifndef TPRT_PROBES_QUERY_H
#define TPRT_PROBES_QUERY_H

namespace tprt {

// Called at the start, like startThreads(), so that its thread key is among the
// first keys.
void startVisits();

} // namespace tprt

#endif
