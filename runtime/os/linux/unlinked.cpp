// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Takes the place of linked.cpp in the shared libraries, which are only loaded
// by programs with a C library that is shared.
#include "os/linux/clibrary.h"

namespace tprt {

const void *const *const linkedFunctions = nullptr;

} // namespace tprt
