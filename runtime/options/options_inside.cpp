// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Takes the place of options_outside.cpp in libtprt.a and in the libtprt.so for
// musl, which themselves contain the code that TPRT_OPTIONS needs.
#include "options/extension.h"

namespace tprt {

const Hooks *openExtension(const Runtime &runtime, const char *text) {
  return tprt_options_start(&runtime, text);
}

} // namespace tprt
