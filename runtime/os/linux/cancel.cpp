// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Disables and restores the cancellation of the calling thread
// (pthread_cancel); see base/os_thread.h. Any thread calls it.
#include "base/os_thread.h"

#include <pthread.h>

namespace tprt {

int disableCancel() {
  int before = 0;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
  return before;
}

void restoreCancel(int state) { pthread_setcancelstate(state, nullptr); }

void testCancel() { pthread_testcancel(); }

} // namespace tprt
