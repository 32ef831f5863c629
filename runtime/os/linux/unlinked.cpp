// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces linked.cpp in the shared libraries, which only programs with a
// shared C library load.
#include "os/linux/clibrary.h"

namespace tprt {

const void *const *const linkedFunctions = nullptr;

} // namespace tprt
