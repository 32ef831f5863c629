// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements Inject.h for processors without support for loading libtprt into a
// running process.

#include "Inject.h"

using namespace llvm;

namespace tpctl {

Expected<Injection> inject(pid_t Pid) {
  return createStringError(
      "process " + Twine(Pid) +
      " has no control, and libtprt can be loaded into processes that run on "
      "x86-64 alone: start it by tpctl VERB ... -- COMMAND, or link it with "
      "libtprt and set TPRT_OPTIONS=control=1");
}

} // namespace tpctl
