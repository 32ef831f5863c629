// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether memory can be read, asked for many addresses.
#ifndef TPRT_BASE_PAGE_MEMO_H
#define TPRT_BASE_PAGE_MEMO_H

#include "base/os_memory.h"
#include "base/page_size.h"

namespace tprt {

// Remembers the last page that was looked at, because neighbours are asked for
// one after the other. Not thread-safe.
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
