// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TPRT_OPTIONS=count=GLOB counts calls, for a table at the end of the process.
#ifndef TPRT_OPTIONS_COUNT_OPTION_H
#define TPRT_OPTIONS_COUNT_OPTION_H

#include "options/option_tables.h"

namespace tprt {

// Attaches the counting probes. Returns false if no table will be printed.
bool startCounting();
// Fills the table with the functions that were called, or with all watched
// functions. Returns false if TPRT_OPTIONS asks for no such table. Under the
// runtime's lock. Async-signal-safe.
bool collectCounts(Table &table, Which which);

} // namespace tprt

#endif
