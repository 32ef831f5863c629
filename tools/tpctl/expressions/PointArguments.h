// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arguments of a point, by its format and the letters of their types
// (tprt/table.h).

#ifndef TPCTL_POINT_ARGUMENTS_H
#define TPCTL_POINT_ARGUMENTS_H

#include "Declarations.h"

namespace tpctl::expressions {

/// A point's arguments. Each has the name that the format has before it, as in
/// "size=%u", "size: {}". An argument without such a name, or whose name
/// another argument has, too, is known as arg0, arg1 and so on alone.
/// `Style`: enum tprt_point_style.
Signature signatureOfPoint(llvm::StringRef Name, llvm::StringRef Types,
                           llvm::StringRef Format, uint8_t Style);

} // namespace tpctl::expressions

#endif
