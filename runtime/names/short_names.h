// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes names of functions readable; the public functions are in tprt/names.h.
// The tables of TPRT_OPTIONS use these functions. May be called on any thread;
// async-signal-safe.
#ifndef TPRT_NAMES_SHORT_NAMES_H
#define TPRT_NAMES_SHORT_NAMES_H

#include "tprt/names.h"

namespace tprt {

// The number of columns that a text in UTF-8 needs.
size_t columnsOf(const char *name);

// Cuts `name` to `width` columns. The last column is then an ellipsis. A width
// below 3 counts as 3.
void cutName(char *name, size_t width);

} // namespace tprt

#endif
