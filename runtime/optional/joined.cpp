// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Takes the place of open.cpp in libtprt.a and in the libtprt.so for musl,
// which themselves contain the code that TPRT_OPTIONS needs.
#include "optional/extension.h"

namespace tprt {

const Hooks *openExtension(const Runtime &runtime, const char *text) {
  return tprt_options_start(&runtime, text);
}

} // namespace tprt
