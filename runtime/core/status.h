// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statuses and the text of a thread's last failure.
#ifndef TPRT_CORE_STATUS_H
#define TPRT_CORE_STATUS_H

#include "tprt/tprt.h"

namespace tprt {

// Notes what, where and what to do next as this thread's last error, prints it
// to standard error when the verbosity is at least 1, and returns `status`.
tprt_status fail(tprt_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// A line for standard error where no call fails, from verbosity `level` on.
void say(int level, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// The same whatever the verbosity.
void printLine(const char *format, ...) __attribute__((format(printf, 1, 2)));

// 0: silent; 1: what went wrong; 2: every operation. TPRT_OPTIONS=verbose=N.
extern int verbosity;

} // namespace tprt

#endif
