// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a filter file for -ftp-filter that names each chosen function. Reports
// the chosen functions that such a file cannot distinguish from others.

#include "Output.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;

namespace tp {

/// A pattern that matches only \p Name. A "=" would begin a category.
static std::string pattern(StringRef Name) {
  std::string Result;
  for (char C : Name) {
    if (C == '=') {
      Result += '?';
      continue;
    }
    if (StringRef("*?[]{}\\").contains(C))
      Result += '\\';
    Result += C;
  }
  return Result;
}

void writeFilter(raw_ostream &OS, const Results &R, StringRef Section,
                 StringRef Criteria) {
  OS << "# Written by tp-select" << Criteria << '\n';
  if (!R.Failed.empty())
    OS << "# Incomplete: " << R.Failed.size() << " of " << R.UnitCount
       << " translation units have errors.\n";
  OS << '[' << Section << "]\n";
  StringSet<> Seen;
  for (const Entry &E : R.Entries) {
    const FunctionInfo &F = E.Function;
    if (!Seen.insert(F.Name).second)
      continue;
    OS << "# " << F.File << ':' << F.Line << ": " << F.Readable << '\n';
    OS << "fun:" << pattern(F.Name) << '\n';
  }
}

std::vector<std::string> findAmbiguities(const Results &R) {
  StringMap<const FunctionInfo *> Chosen;
  for (const Entry &E : R.Entries)
    Chosen.try_emplace(E.Function.Name, &E.Function);
  std::vector<std::string> Messages;
  StringSet<> Reported;
  for (const FunctionInfo &F : R.Others) {
    auto Found = Chosen.find(F.Name);
    // A copy of a chosen function in another unit is the same function.
    if (Found == Chosen.end() || F.Decision.By == Rule::Copy ||
        !(F.IsLocal || Found->second->IsLocal) ||
        !Reported.insert(F.Name).second)
      continue;
    Messages.push_back(
        ("'" + Twine(F.Readable) + "' is chosen in " + Found->second->File +
         ", but a filter file cannot tell it from the function of the same "
         "name in " +
         F.File + "; for one of them use an attribute")
            .str());
  }
  return Messages;
}

} // namespace tp
