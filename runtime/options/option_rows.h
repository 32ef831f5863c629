// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints the rows of the tables of TPRT_OPTIONS.
#ifndef TPRT_OPTIONS_OPTION_ROWS_H
#define TPRT_OPTIONS_OPTION_ROWS_H

#include "options/option_tables.h"

namespace tprt {

// Sorts the rows and prints one table. `out` remembers errors.
void printTable(Table &table, const Occasion &occasion, Printout &out);

} // namespace tprt

#endif
