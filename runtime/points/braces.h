// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Formats arguments by a format with braces. Async-signal-safe.
#ifndef TPRT_POINTS_BRACES_H
#define TPRT_POINTS_BRACES_H

#include "points/values.h"

namespace tprt {

// For a field that does not fit, the text contains the reason (writeFault()).
void formatBraces(Text &out, const char *format, const Values &values);
// How much of string argument number `index` the format shows.
StringBound bracesBound(const char *format, const Values &values,
                        unsigned index);

} // namespace tprt

#endif
