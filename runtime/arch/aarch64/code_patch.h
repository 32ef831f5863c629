// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The layout of the kDisplacedBytes after the stub of a site in code without
// sleds: an instruction at offset 0; the address that unwinders see for the
// thread; and the address of the site's StubData. code_patch.cpp writes the
// first two, and stub.cpp writes the last.
#ifndef TPRT_ARCH_AARCH64_CODE_PATCH_H
#define TPRT_ARCH_AARCH64_CODE_PATCH_H

#include "sites/arch.h"

namespace tprt {

// trampoline.S reads kCopySeen as a number.
constexpr size_t kCopySeen = 16, kCopyData = 24;
static_assert(kCopyData + sizeof(uint64_t) <= kDisplacedBytes);
// The distance from the return address into a stub, which is 8 bytes after the
// stub's beginning, to the address of the StubData.
constexpr size_t kBackToData = kStubBytes - 8 + kCopyData;

} // namespace tprt

#endif
