// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What /proc/self/maps says of the process's mappings. Under the runtime's
// lock; the answer may be old as soon as it is there.
#ifndef TPRT_OS_MAPS_H
#define TPRT_OS_MAPS_H

#include "core/os.h"

namespace tprt {

// Appends what is mapped in [low, high), ascending, cut to it. False if that
// can't be read, or there is no memory.
bool readMappings(uint64_t low, uint64_t high, Array<Mapping> &found);

} // namespace tprt

#endif
