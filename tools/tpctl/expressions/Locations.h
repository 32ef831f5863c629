// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a function's arguments and its result are, by the processor's calling
// convention.

#ifndef TPCTL_LOCATIONS_H
#define TPCTL_LOCATIONS_H

#include "Declarations.h"

namespace tpctl::expressions {

/// One location for each argument, as at the function's entry.
std::vector<Location> locateArguments(const Signature &, const Target &);
/// As when the call has ended.
Location locateResult(const Type &, const Target &);

} // namespace tpctl::expressions

#endif
