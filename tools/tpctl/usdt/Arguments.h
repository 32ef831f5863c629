// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arguments of a USDT probe: operands of its processor's assembly, each
// with its size, as in "-4@%edi 8@-16(%rbp)" or "-4@w0 8@[sp, 16]".

#ifndef TPCTL_USDT_ARGUMENTS_H
#define TPCTL_USDT_ARGUMENTS_H

#include "Notes.h"
#include "expressions/Declarations.h"

namespace tpctl::usdt {

/// The arguments, called arg0, arg1 and so on. `Base` is where the process has
/// the file's address 0. Each has a location, or the reason why it has none.
std::vector<expressions::ArgumentType>
argumentsOf(llvm::StringRef Text, const FileNotes &File, uint64_t Base);

/// The names of variables in the arguments.
std::vector<std::string> symbolsOf(llvm::StringRef Text, bool IsX86);

} // namespace tpctl::usdt

#endif
