// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The source files and lines of functions in the tables of TPRT_OPTIONS.
#ifndef TPRT_OPTIONS_ROW_LINES_H
#define TPRT_OPTIONS_ROW_LINES_H

#include "base/array.h"
#include "options/option_tables.h"

namespace tprt {

// Fills in the file and the line of each row of a function. `texts` keeps the
// names of the files. Acquires the lock.
void locate(Row *rows, size_t count, Array<char> &texts);

} // namespace tprt

#endif
