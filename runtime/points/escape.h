// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quoted text, as shown by {:?}. Async-signal-safe.
#ifndef TPRT_POINTS_ESCAPE_H
#define TPRT_POINTS_ESCAPE_H

#include "points/text.h"

namespace tprt {

// Writes the text between two of `quote`, and returns the number of columns
// that were written. Quotes, backslashes, control characters and bytes that are
// not UTF-8 are escaped. Other characters beyond ASCII are written unchanged,
// even those that Unicode does not classify as printable.
size_t writeQuoted(Text &out, const char *text, size_t size, char quote);

} // namespace tprt

#endif
