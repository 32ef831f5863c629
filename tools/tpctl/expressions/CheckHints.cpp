// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the messages of the checker suggest. See Check.h.

#include "Check.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace tpctl::expressions {

SmallVector<StringRef> memberNames(const Layout &Of) {
  SmallVector<StringRef> Names;
  for (const Member &M : Of.members())
    if (!M.Name.empty())
      Names.push_back(M.Name);
    else if (M.T.isRecord() && M.T.Of)
      append_range(Names, memberNames(*M.T.layout()));
  return Names;
}

std::string Checker::noMember(const Node &N, const Type &T) const {
  constexpr size_t Most = 8;
  const SmallVector<StringRef> Names = memberNames(*T.layout());
  StringRef Best;
  size_t Least = std::max<size_t>(N.Text.size() / 3, 1) + 1;
  for (StringRef Name : Names) {
    size_t Distance = StringRef(N.Text).edit_distance_insensitive(Name);
    if (Distance < Least) {
      Least = Distance;
      Best = Name;
    }
  }
  if (!Best.empty())
    return "; did you mean '" + Best.str() + "'?";
  if (Names.empty())
    return ", which has no members";
  return ", whose members are " + join(ArrayRef(Names).take_front(Most), ", ") +
         (Names.size() > Most ? " and others" : "");
}

std::string instead(const Type &T, StringRef Text) {
  const std::string Of = Text.str();
  if (vectorParts(T))
    return "; len(" + Of + ") is the number of its elements, and " + Of +
           (T.layout()->find("_M_impl") ? "._M_impl._M_start" : ".__begin_") +
           "[0] is the first";
  if (T.Of && StringRef(T.Of->Name).starts_with("std::") &&
      StringRef(T.Of->Name).contains("optional<")) {
    if (T.layout()->find("_M_payload"))
      return "; if " + Of + "._M_payload._M_engaged, its value is " + Of +
             "._M_payload._M_payload._M_value";
    if (T.layout()->find("__engaged_"))
      return "; if " + Of + ".__engaged_, its value is " + Of + ".__val_";
  }
  const auto Names = T.Of ? memberNames(*T.layout()) : SmallVector<StringRef>();
  return "; choose one of its members" +
         (Names.empty() ? "" : ", such as '" + Names.front().str() + "'");
}

StringRef typeOfBits(unsigned Bits) {
  return Bits == 8    ? "char"
         : Bits == 16 ? "short"
         : Bits == 64 ? "long"
                      : "int";
}

} // namespace tpctl::expressions
