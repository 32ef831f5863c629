// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The variables that a single instruction sees, and where they are then.

#ifndef TPCTL_TYPES_VARIABLES_H
#define TPCTL_TYPES_VARIABLES_H

#include "CallFrames.h"
#include "DebugFile.h"
#include "expressions/Declarations.h"

namespace tpctl::types {

/// An instruction: an address of the file, and where the process has the file's
/// address 0.
struct CodePlace {
  uint64_t Address, Base;
};

/// Adds the arguments and the local variables of a function that has this
/// instruction, and of the functions that were inlined there: the innermost
/// ones first. Each has a location, or the reason why it has none. Adds the
/// line of the instruction to its name, S.Function.
void addVariables(expressions::Signature &S,
                  const std::shared_ptr<DebugFile> &File, const Entry &Function,
                  const CodePlace &At, CallFrames &Frames);

} // namespace tpctl::types

#endif
