// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of functions for people; the public half is tprt/names.h.
#ifndef TPRT_OPTIONAL_NAMES_H
#define TPRT_OPTIONAL_NAMES_H

#include "tprt/names.h"

namespace tprt {

// Columns of a text in UTF-8.
size_t columnsOf(const char *name);

// Cuts `name` to `width` columns, the last of which is an ellipsis then. A name
// of less than 3 columns of room is not made longer.
void cutName(char *name, size_t width);

} // namespace tprt

#endif
