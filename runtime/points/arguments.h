// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The data of a hit that handlers of points use. Async-signal-safe.
#ifndef TPRT_POINTS_ARGUMENTS_H
#define TPRT_POINTS_ARGUMENTS_H

#include "base/os_process.h"
#include "points/descriptor.h"
#include "points/values.h"
#include "threads/thread_block.h"

namespace tprt {

// The point's arguments. They are copied from the registers, and from the array
// of arguments that found no register. Each is extended from its type's size to
// 64 bits.
struct HitWords {
  HitWords(const tprt_descriptor &descriptor, const tprt_regs *regs);
  uint64_t words[TPRT_MOST_ARGUMENTS];
};

inline Values valuesOf(const tprt_descriptor &descriptor,
                       const uint64_t *words) {
  return {typesOf(descriptor), descriptor.argument_count, words};
}

// The implementation of tprt_point_format(), with these values.
size_t formatInto(char *out, size_t room, const tprt_descriptor &descriptor,
                  const Values &values);

// The calling thread's kernel id, or 0 if it is unknown. The id is stored in
// the thread's block, so that hits need no system call for it.
inline uint32_t threadIdInHit() {
  int32_t id = ownerInHit();
  if (id == 0) [[unlikely]]
    id = knownThreadId();
  return id > 0 ? static_cast<uint32_t>(id) : 0;
}

} // namespace tprt

#endif
