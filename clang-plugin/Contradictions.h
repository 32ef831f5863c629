// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds attributes of ours that contradict each other, or that follow the
// definition. Runs on the compiler's thread.

#ifndef TP_CONTRADICTIONS_H
#define TP_CONTRADICTIONS_H

namespace clang {
class NamedDecl;
} // namespace clang

namespace tp {

/// Reports attributes at \p D that contradict another one at \p D, or one at an
/// earlier declaration of the same function or class. A note shows the other
/// attribute. Call this once for each declaration, after the declaration has
/// inherited the attributes of the earlier ones.
void reportContradictions(clang::NamedDecl &D);

} // namespace tp

#endif
