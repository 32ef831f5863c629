// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives functions the attributes that are not written at them. On the
// compiler's thread.

#ifndef TP_INHERITINGCONSUMER_H
#define TP_INHERITINGCONSUMER_H

#include <memory>

namespace clang {
class ASTConsumer;
} // namespace clang

namespace tp {

/// Takes no_instrument_function for tp_never, unless tp_entry, tp_exit or
/// tp_always is written at the function. Passes on to functions what stands at
/// the classes and namespaces around them.
std::unique_ptr<clang::ASTConsumer> createInheritingConsumer();

} // namespace tp

#endif
