// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small blocks of the runtime's own memory. All memory comes from the system in
// pages (os_memory.h). So neither a hit in malloc nor an attach from inside
// malloc calls malloc again. Called under the lock.
#ifndef TPRT_BASE_SMALL_ALLOC_H
#define TPRT_BASE_SMALL_ALLOC_H

#include <stddef.h>
#include <stdint.h>

namespace tprt {

// Allocates zeroed blocks in power-of-two sizes, for probes and action lists.
void *allocateSmall(size_t bytes);
// Whether a small block of this size, at most 4096 bytes, may be at this
// address. If so, the memory can be read. The pointer may have any value. Under
// the lock.
bool mayBeSmallBlock(const void *memory, size_t bytes);
void freeSmall(void *memory, size_t bytes);

} // namespace tprt

#endif
