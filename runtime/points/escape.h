// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text in quotes, as {:?} shows it. Async-signal-safe.
#ifndef TPRT_POINTS_ESCAPE_H
#define TPRT_POINTS_ESCAPE_H

#include "points/text.h"

namespace tprt {

// Writes the text between two of `quote`, and returns the columns that this
// takes. Quotes, backslashes, control characters and bytes that are not UTF-8
// are escaped. Other characters beyond ASCII are written as they are, also
// those that Unicode does not call printable.
size_t writeQuoted(Text &out, const char *text, size_t size, char quote);

} // namespace tprt

#endif
