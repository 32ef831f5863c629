// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two things that libtprt-code.so would otherwise need from the C library:
// errno and the size of pages. The library never reads errno, so all threads
// may share one variable. The kernel provides the size of pages. May be called
// on any thread.
#include "base/direct_call.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

extern "C" int *__errno_location() noexcept {
  static int ignored;
  return &ignored;
}

// The name is libtprt's own (os/linux/own_names.h). The function is only called
// for the size of pages, on processors with several page sizes. mincore() with
// a length of 0 changes nothing, and refuses an address that is not
// page-aligned (mincore(2)).
__asm__(".hidden __tprt_c_sysconf");
extern "C" long sysconf(int) noexcept {
  for (long bytes = 4096; bytes < 65536; bytes *= 4)
    if (tprt::systemCall(SYS_mincore, bytes, 0, 0) == 0)
      return bytes;
  return 65536;
}
