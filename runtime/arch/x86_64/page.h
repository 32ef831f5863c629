// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The smallest pages of x86-64 are of 4 kB (AMD APM vol. 2, 5.3), and Linux
// maps and protects by these.
#ifndef TPRT_ARCH_PAGE_H
#define TPRT_ARCH_PAGE_H

#include <stddef.h>

namespace tprt {

constexpr size_t pageBytes() { return 4096; }

} // namespace tprt

#endif
