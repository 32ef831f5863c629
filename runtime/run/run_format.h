// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Formats the lines of handlers (tprt_run_api.print). Async-signal-safe,
// without vector registers.
#ifndef TPRT_RUN_RUN_FORMAT_H
#define TPRT_RUN_RUN_FORMAT_H

#include "points/text.h"

#include <stdarg.h>

namespace tprt {

// A conversion that is not known is written as it is, and takes no argument.
void formatRunLine(Text &out, const char *format, va_list &arguments);

} // namespace tprt

#endif
