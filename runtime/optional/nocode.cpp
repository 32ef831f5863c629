// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Takes the place of opencode.cpp in libtprt.a, which does without a reader of
// code.
#include "core/code.h"

namespace tprt {

OpenCodeReader *const openCodeReader = nullptr;

} // namespace tprt
