// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names of functions in the tables of TPRT_OPTIONS.
#ifndef TPRT_OPTIONS_PREREAD_NAMES_H
#define TPRT_OPTIONS_PREREAD_NAMES_H

#include <stddef.h>
#include <stdint.h>

namespace tprt {

// Writes the name of a function in the form that TPRT_OPTIONS wants, and
// returns the written name. If the width of names is limited, a name that does
// not fit ends in an ellipsis. If the width is not limited, the linked name is
// returned in place of a name that does not fit. May call malloc.
const char *writeName(const char *linked, char *out, size_t size);
// Makes the names of the functions that are watched now, up to a few thousand.
// At an end of the process that is not ordinary (Occasion), no name can be
// made.
void prepareNames();
// Returns a name that prepareNames() has made, or nullptr. Async-signal-safe.
const char *preparedName(uint32_t site);

} // namespace tprt

#endif
