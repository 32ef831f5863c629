// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The clock of all of tpctl, the C++ library in it included. A preloaded
// library may have a clock of its own that stands still, or runs fast or back
// (libfaketime). The kernel's waits follow the true clock: a deadline of one
// clock that is compared with the other never comes, or has always passed.

#include <dlfcn.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace {

using ClockFunction = int(clockid_t, timespec *);

int ofKernel(clockid_t Which, timespec *Time) {
  return static_cast<int>(syscall(SYS_clock_gettime, Which, Time));
}

/// The C library's, which no preloaded library comes before in its own scope.
ClockFunction *ofLibrary() {
  void *Library = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
  void *Found = Library ? dlsym(Library, "clock_gettime") : nullptr;
  return Found ? reinterpret_cast<ClockFunction *>(Found) : ofKernel;
}

} // namespace

/// In place of the C library's, for this program alone. Thread-safe.
extern "C" int clock_gettime(clockid_t Which, timespec *Time) noexcept {
  static ClockFunction *const True = ofLibrary();
  return True(Which, Time);
}
