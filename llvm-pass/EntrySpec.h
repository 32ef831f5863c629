// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many nops an entry sled has: the `N[,M]` of the flag `entry`, of the
// attribute tp_entry and of the function attribute "tp-entry". Only this class
// parses and prints `N[,M]`. No state; safe on every thread.

#ifndef TP_ENTRYSPEC_H
#define TP_ENTRYSPEC_H

#include "Export.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace tp {

struct EntrySpec {
  /// N: the number of all nops (bytes on x86-64, else 4-byte words).
  unsigned Total = 0;
  /// M: how many of them precede the entry label.
  unsigned Before = 0;

  unsigned after() const { return Total - Before; }
  bool operator==(const EntrySpec &) const = default;

  /// The error says what was expected. In a message, the error follows the name
  /// of the flag or attribute.
  TP_EXPORT static llvm::Expected<EntrySpec> parse(llvm::StringRef Text);
  /// "N,M".
  TP_EXPORT std::string str() const;
};

} // namespace tp

#endif
