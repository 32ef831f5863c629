// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What /proc/self/maps says of the process's mappings. Thread-safe; the answer
// may be old as soon as it is there.
#ifndef TPRT_OS_MAPS_H
#define TPRT_OS_MAPS_H

#include "core/sites.h"

namespace tprt {

// Appends the mappings in [low, high), cut to it, with their protection as
// segment flags. False if they can't be read, or there is no memory.
bool readMappings(uint64_t low, uint64_t high, Array<Segment> &found);

// Whether code at a mapped address may not be written: in a shared mapping, or
// in huge pages of hugetlbfs. False also where that can't be read.
bool isSharedMapping(uint64_t address);

// Whether there is memory that this process can read, tried without a fault.
bool isReadable(const void *address);

} // namespace tprt

#endif
