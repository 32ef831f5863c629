// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds attributes of ours that cannot hold together, or that come too late. On
// the compiler's thread.

#ifndef TP_CONTRADICTIONS_H
#define TP_CONTRADICTIONS_H

namespace clang {
class NamedDecl;
} // namespace clang

namespace tp {

/// Reports attributes at \p D that contradict another one at \p D, or one at an
/// earlier declaration of the same function or class, with a note at the other
/// place. To be called once for each declaration, when it has inherited the
/// attributes of the earlier ones.
void reportContradictions(clang::NamedDecl &D);

} // namespace tp

#endif
