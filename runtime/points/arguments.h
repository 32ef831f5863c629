// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a handler of points knows of a hit. Async-signal-safe.
#ifndef TPRT_POINTS_ARGUMENTS_H
#define TPRT_POINTS_ARGUMENTS_H

#include "base/os_process.h"
#include "points/descriptor.h"
#include "points/values.h"
#include "threads/thread_block.h"

namespace tprt {

inline const uint64_t *wordsInRegisters(const tprt_regs *regs) {
#if defined(__x86_64__)
  return &regs->rdi;
#else
  return regs->x;
#endif
}

// The point's arguments, copied from the registers and from the array of those
// that found no register, and extended from their types' sizes to 64 bits.
struct HitWords {
  HitWords(const tprt_descriptor &descriptor, const tprt_regs *regs);
  uint64_t words[TPRT_MOST_ARGUMENTS];
};

inline Values valuesOf(const tprt_descriptor &descriptor,
                       const uint64_t *words) {
  return {typesOf(descriptor), descriptor.argument_count, words};
}

// What tprt_point_format() does, with these values.
size_t formatInto(char *out, size_t room, const tprt_descriptor &descriptor,
                  const Values &values);

// The calling thread's kernel id; 0: it cannot be known. The thread's block has
// the id, so that no hit needs a system call for it.
inline uint32_t threadIdInHit() {
  int32_t id = ownerInHit();
  if (id == 0) [[unlikely]]
    id = knownThreadId();
  return id > 0 ? static_cast<uint32_t>(id) : 0;
}

} // namespace tprt

#endif
