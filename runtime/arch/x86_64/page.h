// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The size of pages. The smallest pages of x86-64 have 4 kB (AMD APM vol. 2,
// 5.3). Linux maps and protects memory in units of these pages.
#ifndef TPRT_ARCH_PAGE_H
#define TPRT_ARCH_PAGE_H

#include <stddef.h>

namespace tprt {

constexpr size_t pageBytes() { return 4096; }

} // namespace tprt

#endif
