// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Bars.h.

#include "Bars.h"

#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace llvm;

namespace tpctl {

void writeBars(raw_ostream &OS, const std::map<int, uint64_t> &Counts,
               function_ref<std::string(int)> StartOf) {
  constexpr size_t Width = 40;
  if (Counts.empty())
    return;
  uint64_t Most = 0;
  for (auto [Range, Count] : Counts)
    Most = std::max(Most, Count);
  for (int Range = Counts.begin()->first; Range <= Counts.rbegin()->first;
       ++Range) {
    auto At = Counts.find(Range);
    uint64_t Count = At == Counts.end() ? 0 : At->second;
    auto Length = static_cast<size_t>(std::ceil(
        static_cast<double>(Count) * Width / static_cast<double>(Most)));
    OS << formatv("  {0,9} .. {1,-9} {2,13:n} |{3}\n", StartOf(Range),
                  StartOf(Range + 1), Count, std::string(Length, '#'));
  }
}

} // namespace tpctl
