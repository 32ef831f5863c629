// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The readable forms of a linked name, with which entries of filter files are
// compared. The runtime's demangler makes these forms. So a filter file may
// contain a name in the form that tpctl shows.

#ifndef TP_READABLENAMES_H
#define TP_READABLENAMES_H

#include "Options.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace tp {

/// The readable form of a linked name. A name that is not mangled is unchanged.
TP_EXPORT std::string readableName(llvm::StringRef Linked);

/// All readable forms of a linked name: with and without the parameters, the
/// type of the result and ABI tags, with the short names of the C++ library,
/// and in the spelling of other demanglers. The full form comes first. Empty if
/// the name is not mangled.
std::vector<std::string> readableForms(llvm::StringRef Linked);

/// The normalised spelling of a name, for comparisons. This spelling does not
/// depend on the demangler.
std::string normalName(llvm::StringRef Text);

} // namespace tp

#endif
