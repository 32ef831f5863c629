// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sends the cursors of all threads to the slow path, when a recording stops.
#ifndef TPRT_RECORD_STOP_THREADS_H
#define TPRT_RECORD_STOP_THREADS_H

#include <stdint.h>

namespace tprt {

// All threads' next hits take the slow path, where they find `ending`. Under
// the lock.
void sendAllToSlowPath();
// All threads' cursors are sent to the slow path, and their blocks of this
// recording are left. Under the lock, when no site is on any more and the
// generation is 0.
void leaveAllBlocks(uint32_t generation);
// Words in the blocks that are being filled. Any thread, without the lock.
uint64_t countOpenWords();

} // namespace tprt

#endif
