// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TPRT_OPTIONS=gdb=1 shows stubs to gdb.
#ifndef TPRT_OPTIONS_GDB_JIT_H
#define TPRT_OPTIONS_GDB_JIT_H

namespace tprt {

// Shows the present and all later stubs to gdb.
void tellDebuggers();

} // namespace tprt

#endif
