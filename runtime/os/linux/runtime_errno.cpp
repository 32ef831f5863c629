// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// errno in the runtime's own code: a variable of each thread; see own_names.h.
// libtprt-code.so uses decode/decoder_errno.cpp instead. Any thread may use
// this. Async-signal-safe.
#include <errno.h>

extern "C" int *__errno_location() noexcept {
  static thread_local int error;
  return &error;
}
