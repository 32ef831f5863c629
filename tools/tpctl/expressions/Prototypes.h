// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arguments of well-known functions of C libraries.

#ifndef TPCTL_PROTOTYPES_H
#define TPCTL_PROTOTYPES_H

#include "Declarations.h"

namespace tpctl::expressions {

/// Null if this function is not known. The signature is never freed.
const Signature *findPrototype(llvm::StringRef LinkedName);
/// The same for a symbol. The C library has several symbols for a function, of
/// which a process reports one: open is also __open64 and __libc_open, and free
/// is cfree@GLIBC_2.2.5.
const Signature *findPrototypeOfSymbol(llvm::StringRef Symbol);
/// The declarations, for tests.
llvm::ArrayRef<llvm::StringLiteral> knownDeclarations();

} // namespace tpctl::expressions

#endif
