// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rust's older mangling, which is that of C++.
#ifndef TPRT_DEMANGLE_LEGACY_RUST_H
#define TPRT_DEMANGLE_LEGACY_RUST_H

#include "demangle/node.h"

namespace tprt::names {

// Turns a C++ name from Rust's older mangling into the name in the source.
// Returns false if the name is not one of Rust's.
bool fromOldRust(char *name, Parts &parts, bool withHash);

} // namespace tprt::names

#endif
