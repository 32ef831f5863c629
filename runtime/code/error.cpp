// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// errno in the code of libtprt-code.so, which never asks for it. So threads may
// share one. Any thread.
#include <errno.h>

extern "C" int *__errno_location() noexcept {
  static int ignored;
  return &ignored;
}
