// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a decision written in the source reaches the IR: as an annotation on the
// declaration, which the decision pass takes out again.

#ifndef TP_SOURCEMARKS_H
#define TP_SOURCEMARKS_H

#include "llvm/ADT/StringRef.h"
#include <memory>

namespace clang {
class ASTConsumer;
class AttributeCommonInfo;
class Decl;
class FunctionDecl;
} // namespace clang

namespace tp {

/// True if \p D, or an earlier declaration of it, carries the mark \p Text;
/// with \p Prefix also one that begins so.
bool hasMark(const clang::Decl &D, llvm::StringRef Text, bool Prefix = false);

/// True if tp_entry, tp_exit or tp_always stands at \p D.
bool asksForSled(const clang::Decl &D);

void addMark(clang::Decl &D, llvm::StringRef Text,
             const clang::AttributeCommonInfo *Where = nullptr);

/// Marks functions with no_instrument_function as tp_never, unless tp_entry,
/// tp_exit or tp_always is written at them, and passes on to functions what
/// stands at the classes and namespaces around them.
std::unique_ptr<clang::ASTConsumer> createMarkingConsumer();

} // namespace tp

#endif
