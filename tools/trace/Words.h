// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fields of event words, and their times. The only state is a thread's last
// time.

#ifndef TP_TRACE_WORDS_H
#define TP_TRACE_WORDS_H

#include "tprt/trace_file.h"
#include <cstddef>

namespace tp::trace {

inline unsigned whatOf(uint64_t Word) { return Word & 3; }
inline uint32_t siteOf(uint64_t Word) {
  return static_cast<uint32_t>(Word >> TPRT_TRACE_SITE_SHIFT) &
         ((uint32_t(1) << TPRT_TRACE_SITE_BITS) - 1);
}
inline unsigned typeOf(uint64_t Word) {
  return static_cast<unsigned>(Word >> TPRT_TRACE_TYPE_SHIFT) &
         ((1u << TPRT_TRACE_TYPE_BITS) - 1);
}
inline size_t countOf(uint64_t Word) {
  return (Word >> TPRT_TRACE_COUNT_SHIFT) & ((1u << TPRT_TRACE_COUNT_BITS) - 1);
}
/// The number of words of this event, including this word.
inline size_t lengthOf(uint64_t Word) {
  return whatOf(Word) == TPRT_TRACE_EXTENSION ? 1 + countOf(Word) : 1;
}
inline bool isExtension(uint64_t Word, unsigned Type) {
  return whatOf(Word) == TPRT_TRACE_EXTENSION && typeOf(Word) == Type;
}
/// Bits 24-63 are the counter's.
inline bool hasTime(uint64_t Word) {
  unsigned Type = typeOf(Word);
  return whatOf(Word) != TPRT_TRACE_EXTENSION ||
         (Type >= TPRT_TRACE_POINT && Type <= TPRT_TRACE_LOST) ||
         Type == TPRT_TRACE_WIDE ||
         (Type >= TPRT_TRACE_FORK && Type <= TPRT_TRACE_WHOLE_CALL);
}

/// The full time of a word with these low bits. The previous word's time is
/// `Last`; the result is at most 2^36 ticks before it, otherwise after it.
inline uint64_t timeAfter(uint64_t Last, uint64_t Word) {
  constexpr uint64_t Back = uint64_t(1) << TPRT_TRACE_BACK_BITS;
  // The shifts keep the low 40 bits of the difference.
  constexpr unsigned Unused = 64 - TPRT_TRACE_TIME_BITS;
  uint64_t Step = (Word >> TPRT_TRACE_TIME_SHIFT) - Last + Back;
  return Last + (Step << Unused >> Unused) - Back;
}

} // namespace tp::trace

#endif
