// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// errno in the runtime's own code: a variable of each thread; see own_names.h.
// In libtprt-code.so, decode/decoder_errno.cpp takes its place. Any thread;
// async-signal-safe.
#include <errno.h>

extern "C" int *__errno_location() noexcept {
  static thread_local int error;
  return &error;
}
