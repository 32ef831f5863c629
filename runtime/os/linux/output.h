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

// As long as it lives, writes by this thread send the program no signal. What
// was pending before stays pending. errno is kept.
class WriteSignalsBlocked {
public:
  WriteSignalsBlocked();
  ~WriteSignalsBlocked();
  WriteSignalsBlocked(const WriteSignalsBlocked &) = delete;
  WriteSignalsBlocked &operator=(const WriteSignalsBlocked &) = delete;

private:
  sigset_t before, pending;
};

// All of it, without such a signal. False, with errno: some is missing. Where
// the other end takes nothing for a second, the rest is given up (EAGAIN).
bool writeAll(int file, const char *text, size_t bytes);

// Where lines and tables of ours go: the standard error that the process began
// with, or what the program put in its place for text. -1: there is neither; a
// data file or a socket that got the descriptor's number is no place for lines.
// Async-signal-safe.
int standardError();
// When the library is loaded: notes which file standard error is.
void rememberStandardError();
// Keeps a descriptor of that file from now on, as programs close theirs before
// they end. Called once, by those who print something at the end.
void keepStandardError();

} // namespace tprt

#endif
