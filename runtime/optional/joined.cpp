// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Takes the place of open.cpp and opencode.cpp in libtprt.a, which itself
// contains the code that TPRT_OPTIONS needs, and does without a reader of code.
#include "core/code.h"
#include "optional/extension.h"

namespace tprt {

const Hooks *openExtension(const Runtime &runtime, const char *text) {
  return tprt_options_start(&runtime, text);
}

OpenCodeReader *const openCodeReader = nullptr;

} // namespace tprt
