// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What happens when the library is loaded: init.cpp. Any thread.
#ifndef TPRT_PROBES_INIT_H
#define TPRT_PROBES_INIT_H

namespace tprt {

// Does nothing. A call of this makes the linker take init.cpp, with its
// constructor, from the static library.
void requireStart();

} // namespace tprt

#endif
