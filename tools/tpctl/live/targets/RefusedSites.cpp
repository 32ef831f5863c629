// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See RefusedSites.h.

#include "RefusedSites.h"

#include "shared/Selection.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace tpctl {

/// "f, g, h and others". `HasMore`: these are not all.
static std::string listed(std::vector<std::string> Names, bool HasMore) {
  constexpr size_t Most = 3;
  HasMore |= Names.size() > Most;
  Names.resize(std::min(Names.size(), Most));
  for (std::string &Name : Names)
    Name = shortName(Name);
  if (HasMore)
    return join(Names, ", ") + " and others";
  std::string Last = Names.empty() ? "" : Names.back();
  if (Names.size() < 2)
    return Last;
  return join(drop_end(Names), ", ") + " and " + Last;
}

/// The functions of these sites. Empty if the process does not tell.
static std::string functionsOf(Connection &C, ArrayRef<uint32_t> Sites) {
  auto Found = listNumbered(C, Sites);
  if (!Found) // the next reading notices that the process has ended
    return consumeError(Found.takeError()), "";
  std::vector<std::string> Names;
  for (const LiveSite &S : *Found)
    if (std::string Name = S.readable(); !is_contained(Names, Name))
      Names.push_back(Name);
  // The process names only so many functions.
  return Names.empty() ? ""
                       : listed(std::move(Names),
                                Sites.size() >= TPRT_CONTROL_MOST_REFUSED);
}

/// The process's sentence is about one request, and `Done` is often the sum of
/// several: "1 of 1 site refused, the first f".
static std::string withSums(StringRef Why, const Attached &Done) {
  StringRef Rest = Why;
  unsigned long long Number;
  if (!Done.Refused || Rest.consumeInteger(10, Number) ||
      !Rest.consume_front(" of ") || Rest.consumeInteger(10, Number) ||
      !Rest.consume_front(" site"))
    return Why.str();
  Rest.consume_front("s");
  return (Twine(Done.Refused) + " of " + Twine(Done.Matched) +
          (Done.Matched == 1 ? " site" : " sites") + Rest)
      .str();
}

std::string describeRefused(Connection &C, const Patterns &P,
                            const Attached &Done, const std::string &Process) {
  std::string Text = withSums(Done.Why, Done);
  if (std::string Names = functionsOf(C, Done.RefusedSites); !Names.empty())
    Text += "; refused in " + Names;
  // The list has no calls of profilers.
  if (Done.Refused && !P.takesProfilers())
    Text += "; each reason: tpctl list " + P.asArguments() + Process;
  return Text;
}

std::string describeUntimed(const std::set<std::string> &Functions,
                            const Patterns &P) {
  bool One = Functions.size() == 1;
  return listed({Functions.begin(), Functions.end()}, /*HasMore=*/false) +
         (One ? " was called, but its calls have no times: no exit of it"
              : " were called, but their calls have no times: no exits of "
                "them") +
         (One ? " is" : " are") + " known or can be probed" +
         (P.takesCode() && !P.takesTraps() ? "; --traps probes more exits"
                                           : "");
}

} // namespace tpctl
