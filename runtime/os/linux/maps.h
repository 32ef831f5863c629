// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What /proc/self/maps says of the process's mappings. Under the runtime's
// lock; the answer may be old as soon as it is there.
#ifndef TPRT_OS_MAPS_H
#define TPRT_OS_MAPS_H

#include "core/sites.h"

namespace tprt {

// A part of the address space with the same rights everywhere.
struct Mapping {
  uint64_t start, end;
  uint32_t rights; // PF_R, PF_W, PF_X
  // Code there may not be written: others would see it (a shared mapping), or
  // the kernel can't copy it (huge pages of hugetlbfs).
  bool fixed;

  bool isReadable() const { return rights & 4; } // PF_R
};

// Appends what is mapped in [low, high), ascending, cut to it. False if that
// can't be read, or there is no memory.
bool readMappings(uint64_t low, uint64_t high, Array<Mapping> &found);

// In a copy of this process, where the file that is kept shows the other one,
// which may have the same number in a namespace of its own.
void forgetMappingsFile();

// Whether there is memory that this process can read, tried without a fault.
// Thread-safe and async-signal-safe.
bool isReadable(const void *address);

} // namespace tprt

#endif
