// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Patterns that select nothing, before a verb turns anything on: an error,
// unless --await is given; or functions without sleds, if no sled matches the
// name of a function.

#ifndef TPCTL_LIVE_TARGETS_UNMATCHED_H
#define TPCTL_LIVE_TARGETS_UNMATCHED_H

#include "llvm/Support/Error.h"
#include <cstdint>

namespace tpctl {

class Patterns;
class Target;

/// Looks for sites of `Kinds` for each pattern, in all processes. The processes
/// are connected, and the patterns are prepared. Call this before anything is
/// attached.
///
/// A command without any sled may be about to become another program, as env
/// and sh do. So nothing is an error there; the verb says at its end if nothing
/// was selected.
llvm::Error checkMatches(Target &At, Patterns &P, uint32_t Kinds);

} // namespace tpctl

#endif
