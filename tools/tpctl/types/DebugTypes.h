// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From entries of the debug information to the types of expressions.

#ifndef TPCTL_TYPES_DEBUGTYPES_H
#define TPCTL_TYPES_DEBUGTYPES_H

#include "DebugFile.h"
#include "expressions/Types.h"

namespace tpctl::types {

/// The type that an entry describes. An invalid entry is void.
expressions::Type typeOf(const std::shared_ptr<DebugFile> &File,
                         const Entry &Of);
/// The type as in a declaration.
std::string nameOf(const Entry &Type);
/// The value of an enumerator, with the sign of its enumeration's type.
uint64_t valueOf(const Entry &Enumerator, const expressions::Type &);

} // namespace tpctl::types

#endif
