// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The start of the library, implemented in init.cpp. May be called on any
// thread.
#ifndef TPRT_PROBES_INIT_H
#define TPRT_PROBES_INIT_H

namespace tprt {

// Does nothing. A call of this function makes the linker pull init.cpp, with
// its constructor, from the static library.
void requireStart();

} // namespace tprt

#endif
