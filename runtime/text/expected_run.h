// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expected islands, and what the file of a batch promises to them; see
// pun_pages.cpp, which places them.
#ifndef TPRT_TEXT_EXPECTED_RUN_H
#define TPRT_TEXT_EXPECTED_RUN_H

#include "base/sort.h"
#include "text/pun_pages.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

namespace tprt {

// The size of a file's blocks. Each block begins at a multiple of this size.
constexpr uint32_t kShared = 1 << 18;

// Which bytes of the file are promised to expected islands. An island that
// extends into a block of another run is promised more bytes than it needs. A
// word is promised fewer bytes.
struct Promised {
  uint8_t *bits; // One for each byte of the file.

  static constexpr unsigned kIsland = (1u << kIslandBytes) - 1;
  bool has(size_t at) const {
    uint16_t two;
    memcpy(&two, &bits[at / 8], sizeof two);
    return two & kIsland << at % 8;
  }
  void add(size_t at) {
    uint16_t two;
    memcpy(&two, &bits[at / 8], sizeof two);
    two = static_cast<uint16_t>(two | kIsland << at % 8);
    memcpy(&bits[at / 8], &two, sizeof two);
  }
};
static_assert(kIslandBytes <= 8);

// Expected islands in neighbouring blocks that are mapped in one call.
struct ExpectedRun {
  const Keyed *first, *last; // `last` is after the last one.
  uint32_t firstBlock, blocks;

  uint64_t start() const { return uint64_t{firstBlock} * kShared; }
  size_t bytes() const { return size_t{blocks} * kShared; }
  size_t inRun(const Keyed &island) const {
    return size_t{island.key - firstBlock} * kShared + island.value;
  }
  // How many islands overlap promised bytes if the run begins at `offset`.
  size_t collisionsAt(size_t offset, const Promised &promised) const {
    size_t count = 0;
    for (const Keyed *one = first; one < last; ++one)
      count += promised.has(offset + inRun(*one));
    return count;
  }
};

} // namespace tprt

#endif
