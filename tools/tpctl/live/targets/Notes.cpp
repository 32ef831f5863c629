// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Notes.h.

#include "Notes.h"

#include "shared/Verb.h"
#include "llvm/Support/Regex.h"

using namespace llvm;

namespace tpctl {

bool Notes::isNews(const std::string &Text) {
  static const Regex Address("0x[0-9a-f]+");
  std::string Alike = Text;
  while (Address.match(Alike))
    Alike = Address.sub("", Alike);
  return Said.insert(Alike).second;
}

void Notes::say(const std::string &Text) const {
  if (Say)
    Say(Text);
  else
    note(Text);
}

} // namespace tpctl
