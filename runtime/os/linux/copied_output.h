// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hides signals of the runtime's own writes from the program. The runtime
// writes to standard error, to the file of an option and to a memfd. A failed
// write may send the thread a signal that ends the program by default: SIGPIPE
// (write(2), EPIPE) or SIGXFSZ (setrlimit(2), RLIMIT_FSIZE). The program did
// not write, so it must not get these signals. Any thread may use this, but not
// in a hit. The functions that write are in base/os_file.h.
#ifndef TPRT_OS_LINUX_COPIED_OUTPUT_H
#define TPRT_OS_LINUX_COPIED_OUTPUT_H

#include <signal.h>

namespace tprt {

// While such an object exists, writes by its thread send no signal to the
// program. For this, the caller must report each failed write to noteFailure().
// Signals that were pending before stay pending, and signals from other sources
// still arrive. errno is kept.
class WriteSignalsBlocked {
public:
  WriteSignalsBlocked();
  ~WriteSignalsBlocked();
  WriteSignalsBlocked(const WriteSignalsBlocked &) = delete;
  WriteSignalsBlocked &operator=(const WriteSignalsBlocked &) = delete;

  // A write has failed with this errno.
  void noteFailure(int error);

private:
  sigset_t before = {}, pending = {};
  bool isRefused = false;
  int signal = 0; // the signal for the failed write
};

} // namespace tprt

#endif
