// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hits of the threads that the runtime starts.
#ifndef TPRT_HITS_HIT_H
#define TPRT_HITS_HIT_H

namespace tprt {

// hideThread(true): from now on, hits of the calling thread call no handlers
// and are not counted, as if its functions were not probed. hideThread(false)
// ends this. For threads that this library starts. Not called in hits.
void hideThread(bool hides);

} // namespace tprt

#endif
