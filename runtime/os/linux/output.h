// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writing to files of the program's surroundings: standard error, the file of
// an option, a memfd. A write that fails may send the thread a signal which
// ends the program by default, SIGPIPE (write(2), EPIPE) or SIGXFSZ
// (setrlimit(2), RLIMIT_FSIZE). The program did not write, so it must not get
// them. Any thread, not in a hit. core/os.h has the functions.
#ifndef TPRT_OS_OUTPUT_H
#define TPRT_OS_OUTPUT_H

#include "core/os.h"

#include <signal.h>

namespace tprt {

// As long as it lives, writes by this thread send the program no signal, if
// each one that fails is noted. What was pending before stays pending, and what
// others send meanwhile arrives. errno is kept.
class WriteSignalsBlocked {
public:
  WriteSignalsBlocked();
  ~WriteSignalsBlocked();
  WriteSignalsBlocked(const WriteSignalsBlocked &) = delete;
  WriteSignalsBlocked &operator=(const WriteSignalsBlocked &) = delete;

  // A write has failed with this errno.
  void noteFailure(int error);

private:
  sigset_t before, pending;
  int signal = 0; // that the kernel sent for it
};

} // namespace tprt

#endif
