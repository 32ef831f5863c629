// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// errno in the runtime's own code: a variable of each thread; see names.h. In
// libtprt-options.so, optional/error.cpp takes its place, and in
// libtprt-code.so code/error.cpp. Any thread; async-signal-safe.
#include <errno.h>

extern "C" int *__errno_location() noexcept {
  static thread_local int error;
  return &error;
}
