// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What happens when the library is loaded.
#ifndef TPRT_CORE_START_H
#define TPRT_CORE_START_H

namespace tprt {

// Does nothing; whoever calls it has start.cpp's constructor linked in from the
// static library.
void requireStart();

} // namespace tprt

#endif
