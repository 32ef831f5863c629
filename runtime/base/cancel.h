// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cancellation (pthread_cancel) and API calls. A call of the API holds locks,
// pins and memory. When the C library unwinds a cancelled thread, it runs no
// code of this library, because the library is built without exceptions. So
// each public call disables cancellation until it has released all of them.
// POSIX does not make this async-signal-safe; glibc and musl do.
#ifndef TPRT_BASE_CANCEL_H
#define TPRT_BASE_CANCEL_H

#include "base/os_thread.h"

namespace tprt {

// While this object exists, its thread is not cancelled. Afterwards the thread
// has its former state.
class CancelDisabled {
public:
  CancelDisabled() : before(disableCancel()) {}
  ~CancelDisabled() { restore(); }
  CancelDisabled(const CancelDisabled &) = delete;
  CancelDisabled &operator=(const CancelDisabled &) = delete;

  // Placed before and after a call of the program's own code.
  void restore() { restoreCancel(before); }
  void disable() { disableCancel(); }

private:
  int before;
};

} // namespace tprt

#endif
