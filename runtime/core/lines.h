// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which functions of a module come from which source file. Read from the
// file's line table at each question and not kept. Under the lock.
#ifndef TPRT_CORE_LINES_H
#define TPRT_CORE_LINES_H

#include "core/plain/site.h"

namespace tprt {

constexpr uint8_t kInSource = 2; // a bit of a mark

// Sets kInSource in marks[i] where the function of site firstSite + i begins in
// a source file whose path, or whose last parts, match. nullptr, or why the
// module can't tell. readSymbols() comes first.
const char *markSource(Module *module, const char *pattern,
                       Array<uint8_t> &marks);

} // namespace tprt

#endif
