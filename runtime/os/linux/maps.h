// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The process's mappings, from /proc/self/maps. Called under the runtime's
// lock. The program may change its mappings at any time, so the result may be
// outdated immediately.
#ifndef TPRT_OS_MAPS_H
#define TPRT_OS_MAPS_H

#include "base/os_text.h"

namespace tprt {

// Appends the mappings in [low, high) in ascending order, cut to that range.
// Returns false, and appends nothing, if the mappings cannot be read, if there
// are none, or if there is no memory.
bool readMappings(uint64_t low, uint64_t high, Array<Mapping> &found);

// The file that is mapped at an address, and the offset of that address in the
// file. The path is empty if there is no such file.
struct Backing {
  uint64_t offset, inode;
  char path[4096];
};
bool readBacking(uint64_t address, Backing &out);

} // namespace tprt

#endif
