// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TPRT_OPTIONS=time=GLOB times calls, for a table at the end of the process.
#ifndef TPRT_OPTIONS_TIME_OPTION_H
#define TPRT_OPTIONS_TIME_OPTION_H

#include "options/option_tables.h"

namespace tprt {

// Attaches the timing probes. Returns false if no table will be printed.
bool startTiming();
// Fills the table with the functions that were called, or with all watched
// functions. Returns false if TPRT_OPTIONS asks for no such table. Under the
// runtime's lock. Async-signal-safe.
bool collectTimes(Table &table, Which which);

} // namespace tprt

#endif
