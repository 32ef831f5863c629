// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A bit for each byte of a run of code. Offsets are from the module's origin.
// Not thread-safe: the owner of the bits serialises their use.
#ifndef TPRT_DECODE_CODE_BITS_H
#define TPRT_DECODE_CODE_BITS_H

#include "base/array.h"

namespace tprt {

class CodeBits {
public:
  // Allocates the bits of the code from `from` up to `end`, all of them clear.
  // Returns false if there is no memory.
  bool make(uint32_t from, uint32_t end) {
    start = from;
    count = end - from;
    return words.resize(count / kBits + 1);
  }
  // Frees the memory. Afterwards no offset has a bit.
  void reset() {
    words.reset();
    count = 0;
  }
  // Offsets outside this code are ignored here, and have no bit in the
  // functions below.
  void set(uint32_t offset) {
    if (uint32_t bit = offset - start; bit < count)
      words[bit / kBits] |= uint64_t{1} << bit % kBits;
  }
  bool has(uint32_t offset) const {
    uint32_t bit = offset - start;
    return bit < count && words[bit / kBits] >> bit % kBits & 1;
  }
  // The first offset from `from` up to `to` that has a bit. Returns `to` if
  // there is none.
  uint32_t firstFrom(uint32_t from, uint32_t to) const {
    uint64_t first = from > start ? from - start : 0,
             end = to > start ? to - start : 0;
    end = end < count ? end : count;
    for (uint64_t bit = first; bit < end; bit = (bit / kBits + 1) * kBits)
      if (uint64_t rest = words[bit / kBits] >> bit % kBits) {
        bit += static_cast<unsigned>(__builtin_ctzll(rest));
        return bit < end ? start + static_cast<uint32_t>(bit) : to;
      }
    return to;
  }
  // Calls visit(offset) for each offset that has a bit here but not in
  // `others`, which must cover the same code.
  template <class Visit>
  void visitWithout(const CodeBits &others, const Visit &visit) const {
    for (size_t i = 0; i < words.size(); ++i)
      for (uint64_t rest = words[i] & ~others.words[i]; rest; rest &= rest - 1)
        visit(start +
              static_cast<uint32_t>(
                  i * kBits + static_cast<unsigned>(__builtin_ctzll(rest))));
  }

private:
  static constexpr uint32_t kBits = 64;
  uint32_t start = 0, count = 0;
  Array<uint64_t> words;
};

} // namespace tprt

#endif
