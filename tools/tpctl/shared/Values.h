// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Captured values as text: arguments, results, and the texts of points.

#ifndef TPCTL_VALUES_H
#define TPCTL_VALUES_H

#include "Tables.h"

namespace tpctl {

/// One value: a number or a string. `Form` says which.
struct Value {
  unsigned Form = TPRT_TRACE_FORM_END;
  uint64_t Word = 0;
  std::string Text;
  bool Cut = false; ///< the string was longer
};

/// Splits words into values. If a word is missing, the list ends there.
std::vector<Value> valuesOf(llvm::ArrayRef<unsigned> Forms,
                            llvm::ArrayRef<uint64_t> Words);
/// The forms in the upper bits of a VALUES word.
std::vector<unsigned> formsOf(uint64_t Packed);
/// As in 3, 0xff, "text".
std::string textOf(llvm::ArrayRef<Value> Values);
/// The text that printf would write. If a conversion does not fit its value, or
/// has no value, it is left unchanged.
std::string formatted(llvm::StringRef Format, llvm::ArrayRef<Value> Values);
/// A point's text, from the words after its number.
std::string pointText(const tp::trace::Point *P, uint32_t Number,
                      llvm::ArrayRef<uint64_t> Words);

} // namespace tpctl

#endif
