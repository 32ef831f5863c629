// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writing to files of the program's surroundings: standard error, the file of
// an option, a memfd. A write that fails may send the thread a signal which
// ends the program by default, SIGPIPE (write(2), EPIPE) or SIGXFSZ
// (setrlimit(2), RLIMIT_FSIZE). The program did not write, so it must not get
// them. Any thread, not in a hit.
#ifndef TPRT_OS_OUTPUT_H
#define TPRT_OS_OUTPUT_H

#include <signal.h>
#include <stddef.h>

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

// All of it, without such a signal. False, with errno: some is missing. Where
// the other end takes nothing for a second, the rest is given up (EAGAIN).
bool writeAll(int file, const char *text, size_t bytes);

// The descriptor of standard error, or -1 where that is closed: what the
// program has opened in its place is no place for lines of ours.
int standardError();
// When the library is loaded: what standardError() compares with.
void rememberStandardError();

// Formatted output to a file, by whole buffers. Not thread-safe.
class Output {
public:
  explicit Output(int file) : file(file) {}
  void print(const char *format, ...) __attribute__((format(printf, 2, 3)));
  // Writes what is left. 0, or errno of what could not be written.
  int finish();

private:
  void flush();

  int file, fault = 0;
  size_t used = 0;
  char buffer[4096];
};

} // namespace tprt

#endif
