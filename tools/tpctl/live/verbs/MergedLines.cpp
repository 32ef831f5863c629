// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See MergedLines.h.

#include "MergedLines.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tpctl {

void MergedLines::finishLine() {
  if (HasLine)
    Lines.back().Text = std::move(Buffer);
  else
    To << Buffer;
  Buffer.clear();
  HasLine = false;
}

void MergedLines::begin(uint64_t Time) {
  finishLine();
  Lines.push_back({Time, ""});
  HasLine = true;
}

/// The lines of a process come in order, so lines of the same time stay as they
/// are.
void MergedLines::write(uint64_t Until) {
  finishLine();
  for (const Line &L : ArrayRef(Lines).take_front(Old))
    Until = std::max(Until, L.Time);
  stable_sort(Lines,
              [](const Line &A, const Line &B) { return A.Time < B.Time; });
  size_t Ready = 0;
  for (; Ready != Lines.size() && Lines[Ready].Time <= Until; ++Ready)
    if (more()) {
      To << Lines[Ready].Text;
      ++Written;
    }
  Lines.erase(Lines.begin(), Lines.begin() + static_cast<ptrdiff_t>(Ready));
  Old = Lines.size();
}

} // namespace tpctl
