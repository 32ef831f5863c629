// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The size of pages. Thread-safe and async-signal-safe.
#ifndef TPRT_BASE_PAGE_SIZE_H
#define TPRT_BASE_PAGE_SIZE_H

#include "page.h" // the header of the architecture: pageBytes()

#include <stddef.h>

namespace tprt {

inline size_t roundToPages(size_t bytes) {
  return (bytes + pageBytes() - 1) & ~(pageBytes() - 1);
}

} // namespace tprt

#endif
