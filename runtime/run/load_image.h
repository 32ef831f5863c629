// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads a file of handlers (tprt/run.h).
//
// The C library's loader is not used: its lock may be held by a thread that the
// program has blocked, it runs constructors, and static programs have none. A
// file of handlers imports nothing. So loading it means to copy its segments
// and to add its address to some words. Then the code becomes executable, as
// the stubs do, and is never writable again.
#ifndef TPRT_RUN_LOAD_IMAGE_H
#define TPRT_RUN_LOAD_IMAGE_H

#include <stddef.h>
#include <stdint.h>

namespace tprt {

// A file in memory that was checked and loaded.
struct RunImage {
  uint64_t start; // of its pages; 0: there are none
  size_t bytes;
  uint64_t codeStart, codeEnd; // its executable part, relative to `start`

  bool isLoaded() const { return start != 0; }
  bool has(uint64_t at, uint64_t size) const {
    return at <= bytes && size <= bytes - at;
  }
  bool hasCode(uint64_t at) const { return at >= codeStart && at < codeEnd; }
};

// The largest file, and the most memory that its segments may take.
constexpr uint64_t kMostRunFile = uint64_t{16} << 20;
constexpr uint64_t kMostRunMemory = uint64_t{256} << 20;

// Loads a file. Returns nullptr, or why the file cannot be loaded; nothing
// remains then. Nothing in the file is trusted: any bytes are possible. Under
// the lock.
const char *loadRunImage(const void *file, size_t bytes, RunImage &to);
// No thread is in the code.
void freeRunImage(RunImage &image);

} // namespace tprt

#endif
