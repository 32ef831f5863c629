// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One line a function, with its place in front as in clang's messages, and a
// line of counts.

#include "Output.h"

using namespace llvm;

namespace tp {

void writeText(raw_ostream &OS, const Results &R) {
  size_t With = 0, BySize = 0;
  for (const Entry &E : R.Entries) {
    const FunctionInfo &F = E.Function;
    OS << F.File << ':';
    if (F.Line)
      OS << F.Line << ':' << F.Column << ':';
    OS << ' ';
    OS << (F.hasSled() ? "sled" : "no sled");
    if (F.Entry)
      OS << ' ' << F.Entry->str();
    if (F.Exit)
      OS << " exit";
    if (F.Threshold)
      OS << '?';
    OS << ": " << F.Readable << ": " << F.Why << '\n';
    With += F.hasSled();
    BySize += F.Threshold != 0;
  }
  OS << R.Entries.size()
     << (R.Entries.size() == 1 ? " function, " : " functions, ") << With
     << " with a sled";
  if (BySize)
    OS << ", " << BySize << " of them only if large enough";
  OS << '\n';
}

} // namespace tp
