// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The clock for all of tpctl, including the C++ library in it. A preloaded
// library such as libfaketime may replace the clock by a clock that stops, or
// runs too fast or backwards. The kernel's waits follow the true clock. If a
// deadline of one clock were compared with the other clock, the deadline might
// never be reached, or might have passed already.

#include <dlfcn.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace {

using ClockFunction = int(clockid_t, timespec *);

int ofKernel(clockid_t Which, timespec *Time) {
  return static_cast<int>(syscall(SYS_clock_gettime, Which, Time));
}

/// The C library's function. In this scope, no preloaded library comes before
/// it.
ClockFunction *ofLibrary() {
  void *Library = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
  void *Found = Library ? dlsym(Library, "clock_gettime") : nullptr;
  return Found ? reinterpret_cast<ClockFunction *>(Found) : ofKernel;
}

} // namespace

/// Replaces the C library's function, only in this program. Thread-safe.
extern "C" int clock_gettime(clockid_t Which, timespec *Time) noexcept {
  static ClockFunction *const True = ofLibrary();
  return True(Which, Time);
}
