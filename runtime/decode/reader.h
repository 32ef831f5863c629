// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the sites in a module's code: entries and exits of functions, and
// single instructions. May be called on any thread; acquires no lock, and
// allocates only pages from the system.
#ifndef TPRT_DECODE_READER_H
#define TPRT_DECODE_READER_H

#include "base/visibility.h"
#include "decode/decoder.h"

namespace tprt {

// Adds the sites in order of address. Returns nullptr, or the reason why there
// are no sites.
const char *readSites(const CodeView &view, Array<CodeSite> &out);

// Adds the instructions of the functions that contain these offsets. Entries
// and exits of the functions are excluded if they are sites.
const char *readInstructions(const CodeView &view, const uint32_t *offsets,
                             size_t count, InnerCode &out);

// The structure with these functions.
extern const CodeReader kCodeReader TPRT_HIDDEN;

} // namespace tprt

#endif
