// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the sites in a module's code: entries and exits of functions, and
// single instructions. Any thread; takes no lock, and allocates by the system's
// pages.
#ifndef TPRT_DECODE_READER_H
#define TPRT_DECODE_READER_H

#include "base/visibility.h"
#include "decode/decoder.h"

namespace tprt {

// Adds the sites in order of address. Returns nullptr, or the reason why there
// are none.
const char *readSites(const CodeView &view, Array<CodeSite> &out);

// Adds the instructions of the functions that contain these offsets, except
// those at which the functions begin or are left, if these are sites.
const char *readInstructions(const CodeView &view, const uint32_t *offsets,
                             size_t count, InnerCode &out);

// These functions as they are handed over.
extern const CodeReader kCodeReader TPRT_HIDDEN;

} // namespace tprt

#endif
