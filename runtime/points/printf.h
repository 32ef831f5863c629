// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Formats arguments by a format of printf. Async-signal-safe.
#ifndef TPRT_POINTS_PRINTF_H
#define TPRT_POINTS_PRINTF_H

#include "points/values.h"

namespace tprt {

// For a conversion that does not fit, the text contains the reason
// (writeFault()).
void formatPrintf(Text &out, const char *format, const Values &values);
// How much of string argument number `index` the format shows.
StringBound printfBound(const char *format, const Values &values,
                        unsigned index);

} // namespace tprt

#endif
