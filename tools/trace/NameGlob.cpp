// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See NameGlob.h.

#include "NameGlob.h"

#include "Readable.h"
#include "names/clones.h"
#include "names/match.h"
#include <algorithm>
#include <memory>
#include <vector>

using namespace llvm;

namespace tp::trace {

/// The memory for the forms of names.
static tprt::NameForms &forms() {
  thread_local auto Of = std::make_unique<tprt::NameForms>();
  return *Of;
}

Expected<NameGlob> NameGlob::create(StringRef Text) {
  NameGlob Made;
  Made.Text = Text.str();
  if (Text.empty())
    return createStringError("a pattern is empty");
  return Made;
}

NameMatch NameGlob::match(StringRef Linked, StringRef Shown) const {
  NameMatch Found = matchOne(Linked, Shown);
  if (Found == NameMatch::Whole || Linked.empty())
    return Found;
  std::string Name = Linked.str();
  size_t Plain = tprt::lengthOfPlainName(Name.c_str());
  if (!Plain || Plain >= Linked.size())
    return Found;
  Name.resize(Plain);
  return std::max(Found, matchOne(Name, readableName(Name)));
}

NameMatch NameGlob::matchOne(StringRef Linked, StringRef Shown) const {
  auto &Room = forms();
  std::vector<char> Bytes(tprt::NamePattern::bytesFor(Text.c_str()));
  tprt::NamePattern Pattern(Text.c_str(), Bytes.data());
  std::string Name = (Linked.empty() ? Shown : Linked).str();
  auto Found = tprt::NameMatch::None;
  if (!Linked.empty() && tprt::names::mayBeMangled(Name.c_str())) {
    Room.set(Name.c_str());
    Found = Pattern.matches(Room);
  } else {
    Room.setReadable(Name.c_str());
    Found = Pattern.matches(Room);
    // The demangled name of a language that only the tools demangle.
    if (Found == tprt::NameMatch::None && !Shown.empty() && Shown != Name) {
      std::string Other = Shown.str();
      Room.setReadable(Other.c_str());
      Found = Pattern.matches(Room);
    }
  }
  return Found == tprt::NameMatch::Whole    ? NameMatch::Whole
         : Found == tprt::NameMatch::ByGlob ? NameMatch::ByGlob
                                            : NameMatch::None;
}

} // namespace tp::trace
