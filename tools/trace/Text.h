// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text that is stored in words: names of threads, paths, captured strings.

#ifndef TP_TRACE_TEXT_H
#define TP_TRACE_TEXT_H

#include "Readable.h"
#include "llvm/ADT/ArrayRef.h"
#include <cstring>
#include <string>

namespace tp::trace {

/// The text in some words, up to its first zero, in printable form.
inline std::string textOf(llvm::ArrayRef<uint64_t> Words) {
  const char *Text = reinterpret_cast<const char *>(Words.data());
  return printable({Text, strnlen(Text, Words.size() * sizeof(uint64_t))});
}

} // namespace tp::trace

#endif
