// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the sites in a module's code: where its functions begin and where they
// are left. Any thread; takes no lock, and allocates by the system's pages.
#ifndef TPRT_CODE_READER_H
#define TPRT_CODE_READER_H

#include "core/plain/code.h"

namespace tprt {

// Adds the sites in order of address. nullptr, or why there are none.
const char *readSites(const CodeView &view, Array<CodeSite> &out);

} // namespace tprt

#endif
