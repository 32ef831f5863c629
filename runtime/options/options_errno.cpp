// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// errno in the code of libtprt-options.so: that of libtprt.so's code, so that
// both see why a function of either failed. Any thread; async-signal-safe.
#include "options/extension.h"

#include <errno.h>

extern "C" int *__errno_location() noexcept {
  static int none; // before the two libraries know each other
  return tprt::runtime ? tprt::runtime->ownErrno() : &none;
}
