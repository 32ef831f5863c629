// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small blocks of the runtime's own memory. Everything comes from the system's
// pages (os.h), so that a traced malloc, or an attach from inside one, cannot
// meet itself. Under the lock.
#ifndef TPRT_CORE_MEMORY_H
#define TPRT_CORE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

namespace tprt {

// Zeroed small blocks in power-of-two sizes, for probes and chains.
void *allocateSmall(size_t bytes);
// Whether there may be one of these bytes, up to 4096, so that they can be
// read, wherever it points to. Under the lock.
bool mayBeSmallBlock(const void *memory, size_t bytes);
void freeSmall(void *memory, size_t bytes);

} // namespace tprt

#endif
