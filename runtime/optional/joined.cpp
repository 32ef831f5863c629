// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// open.cpp's part in libtprt.a, which holds what TPRT_OPTIONS needs itself.
#include "optional/extension.h"

namespace tprt {

const Hooks *openExtension(const Runtime &runtime, const char *text) {
  return tprt_options_start(&runtime, text);
}

} // namespace tprt
