// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TPRT_OPTIONS=print=GLOB prints a line for each hit of a point.
#ifndef TPRT_OPTIONS_PRINT_OPTION_H
#define TPRT_OPTIONS_PRINT_OPTION_H

namespace tprt {

// Attaches the printing probes. Returns false if no line will be printed.
bool startPrinting();
// Prints how many lines were lost since the last call of this function.
// Async-signal-safe.
void tellLostLines();
// Called in a child of fork(), which has lost no lines.
void forgetLostLines();

} // namespace tprt

#endif
