// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See EntrySpec.h.

#include "EntrySpec.h"
#include "LlvmCompat.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;

namespace tp {

/// The largest N. GCC's -fpatchable-function-entry has the same limit.
static constexpr unsigned MaxNops = 65535;

/// Accepts only digits; getAsInteger would also accept a sign and "0x".
static bool parseNumber(StringRef Text, unsigned &Value) {
  return !Text.empty() && all_of(Text, isDigit) &&
         !Text.getAsInteger(10, Value) && Value <= MaxNops;
}

Expected<EntrySpec> EntrySpec::parse(StringRef Text) {
  auto [First, Second] = Text.split(',');
  EntrySpec Spec;
  if (!parseNumber(First, Spec.Total) ||
      (Text.contains(',') && !parseNumber(Second, Spec.Before)))
    return createStringError(
        "expected N or N,M: decimal numbers, N from 0 to 65535");
  if (Spec.Before > Spec.Total)
    return createStringError(
        "expected M, the nops before the entry label, to be at most N");
  return Spec;
}

std::string EntrySpec::str() const {
  return (Twine(Total) + "," + Twine(Before)).str();
}

} // namespace tp
