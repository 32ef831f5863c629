// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The size of pages. AArch64 has pages of 4, 16 or 64 kB (Arm ARM, D8.1.8),
// depending on the kernel's configuration. Thread-safe and async-signal-safe.
#ifndef TPRT_ARCH_PAGE_H
#define TPRT_ARCH_PAGE_H

#include <stddef.h>
#include <unistd.h>

namespace tprt {

inline size_t pageBytes() {
  static const size_t bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

} // namespace tprt

#endif
