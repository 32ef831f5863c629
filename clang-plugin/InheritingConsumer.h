// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives functions the attributes of the classes and namespaces around them.
// Runs on the compiler's thread.

#ifndef TP_INHERITINGCONSUMER_H
#define TP_INHERITINGCONSUMER_H

#include <memory>

namespace clang {
class ASTConsumer;
} // namespace clang

namespace tp {

/// Treats no_instrument_function as tp_never, unless tp_entry, tp_exit or
/// tp_always is written at the function. Gives functions the attributes of the
/// classes and namespaces around them.
std::unique_ptr<clang::ASTConsumer> createInheritingConsumer();

} // namespace tp

#endif
