// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Start of the library, which init.cpp implements. Any thread.
#ifndef TPRT_PROBES_INIT_H
#define TPRT_PROBES_INIT_H

namespace tprt {

// Does nothing. A call of this function makes the linker pull init.cpp, with
// its constructor, from the static library.
void requireStart();

} // namespace tprt

#endif
