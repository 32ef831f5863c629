// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The beginning and end of a thread's record.
#ifndef TPRT_RECORD_THREAD_END_H
#define TPRT_RECORD_THREAD_END_H

namespace tprt {

// The thread component's functions (record_component.h).
void beginThreadRecord(void *state);
void endThreadRecord(void *state);

} // namespace tprt

#endif
