// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What happens when the library is loaded: start.cpp. Any thread.
#ifndef TPRT_CORE_START_H
#define TPRT_CORE_START_H

namespace tprt {

// Does nothing. A call of this makes the linker take start.cpp, with its
// constructor, from the static library.
void requireStart();

} // namespace tprt

#endif
