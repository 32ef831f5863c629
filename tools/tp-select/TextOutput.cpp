// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The list as text, for people: one line per function and a line of counts. As
// in clang's messages, a line begins with the function's place.

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
    const SourceDecision &D = F.Decision;
    OS << (D.hasSled() ? "sled" : "no sled");
    if (D.Entry)
      OS << ' ' << D.Entry->str();
    if (D.Exit)
      OS << " exit";
    if (D.Threshold)
      OS << '?';
    OS << ": " << F.Readable << ": " << F.Why << '\n';
    With += D.hasSled();
    BySize += D.Threshold != 0;
  }
  OS << R.Entries.size()
     << (R.Entries.size() == 1 ? " function, " : " functions, ") << With
     << " with a sled";
  if (BySize)
    OS << ", " << BySize << " of them only if large enough";
  OS << '\n';
}

} // namespace tp
