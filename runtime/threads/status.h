// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statuses, the text of a thread's last failure, and lines on standard error.
// Any thread may call these functions, with or without the lock. Not
// async-signal-safe.
#ifndef TPRT_THREADS_STATUS_H
#define TPRT_THREADS_STATUS_H

#include "tprt/tprt.h"

namespace tprt {

// Stores a text as this thread's last error, prints it to standard error if the
// verbosity is at least 1, and returns `status`. The text contains what failed,
// where, and what to do next.
tprt_status fail(tprt_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// If the verbosity is at least `level`, prints a line to standard error. For
// messages that are not the failure of a call.
void say(int level, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// The same as say(), at any verbosity.
void printLine(const char *format, ...) __attribute__((format(printf, 1, 2)));

// 0 means silent, 1 means failures, 2 means every operation. Set by
// TPRT_OPTIONS=verbose=N.
extern int verbosity;

// From now on, fail() and say() print nothing on this thread, because its
// failures are reported elsewhere.
void keepThreadQuiet();

} // namespace tprt

#endif
