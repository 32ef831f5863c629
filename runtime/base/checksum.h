// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A running checksum. The functions have no state and may be called on any
// thread.
#ifndef TPRT_BASE_CHECKSUM_H
#define TPRT_BASE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

namespace tprt {

// A running 64-bit checksum of whole 4-byte words. It distinguishes builds, but
// does not protect against forgery.
uint64_t checksum(const void *memory, size_t bytes, uint64_t sum);

} // namespace tprt

#endif
