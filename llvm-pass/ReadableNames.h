// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The readable forms of a linked name that entries of filter files are compared
// with. They are made by the runtime's demangler, so that a name that tpctl has
// shown can be written into a filter file.

#ifndef TP_READABLENAMES_H
#define TP_READABLENAMES_H

#include "Options.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace tp {

/// A linked name as people read it, or as it is if it is not mangled.
TP_EXPORT std::string readableName(llvm::StringRef Linked);

/// All forms of a linked name beside itself: with and without the parameters,
/// the type of the result and ABI tags, with the short names of the C++
/// library, and in the spelling of other demanglers. The whole name comes
/// first. Empty if the name is not mangled.
std::vector<std::string> readableForms(llvm::StringRef Linked);

/// A name in the spelling by which names are compared. It does not depend on
/// the demangler.
std::string normalName(llvm::StringRef Text);

} // namespace tp

#endif
