// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Escape.h.

#include "Escape.h"

#include "Readable.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"

using namespace llvm;

namespace tpctl {

std::string escaped(StringRef Text, bool InQuotes) {
  constexpr StringLiteral Special = "\"\\\n\t\r", Letters = "\"\\ntr";
  std::string Shown;
  while (!Text.empty()) {
    StringRef Each = Text.take_front(
        getNumBytesForUTF8(static_cast<unsigned char>(Text[0])));
    if (size_t At = Special.find(Text[0], InQuotes ? 0 : 1);
        At != StringRef::npos) {
      Shown += {'\\', Letters[At]};
    } else if (tp::trace::printable(Each) == Each) {
      Shown += Each;
    } else {
      Each = Text.take_front();
      Shown += "\\x" + toHex(Each, /*LowerCase=*/true);
    }
    Text = Text.drop_front(Each.size());
  }
  return Shown;
}

} // namespace tpctl
