// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cancellation (pthread_cancel) and the calls of the API. A call holds locks,
// pins and memory, and nothing runs when the C library unwinds a cancelled
// thread out of it: this library is built without exceptions. So each public
// call holds cancellation back until it has given everything back. Not
// async-signal-safe by POSIX, though it is in glibc and musl.
#ifndef TPRT_CORE_CANCEL_H
#define TPRT_CORE_CANCEL_H

#include "core/os.h"

namespace tprt {

// As long as it lives, this thread is not cancelled; afterwards it is in the
// state that it was in before.
class CancelDisabled {
public:
  CancelDisabled() : before(disableCancel()) {}
  ~CancelDisabled() { restore(); }
  CancelDisabled(const CancelDisabled &) = delete;
  CancelDisabled &operator=(const CancelDisabled &) = delete;

  // Around a call of the program's own code.
  void restore() { restoreCancel(before); }
  void disable() { disableCancel(); }

private:
  int before;
};

} // namespace tprt

#endif
