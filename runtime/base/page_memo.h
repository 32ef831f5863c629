// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Determines for many addresses whether memory can be read.
#ifndef TPRT_BASE_PAGE_MEMO_H
#define TPRT_BASE_PAGE_MEMO_H

#include "base/os_memory.h"
#include "base/page_size.h"

namespace tprt {

// Caches the result for the last page, because successive queries mostly
// concern the same page. Not thread-safe.
struct PageMemo {
  uint64_t page = UINT64_MAX;
  bool isReadable = false;

  bool has(uint64_t address) {
    if (page != address / pageBytes()) {
      page = address / pageBytes();
      isReadable = tprt::isReadable(reinterpret_cast<const void *>(address));
    }
    return isReadable;
  }
};

} // namespace tprt

#endif
