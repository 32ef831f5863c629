// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Breakpoints that others have put into a module's code: gdb, or the kernel for
// a uprobe (perf, bpftrace). What the reader of code took for the program's own
// instruction there would be wrong, and so would be where the next one begins.
#ifndef TPRT_ELF_FOREIGN_BREAKPOINTS_H
#define TPRT_ELF_FOREIGN_BREAKPOINTS_H

#include "modules/module.h"
#include "sites/code_site.h"

namespace tprt {

// Finds the breakpoints that are in the module's code and not in its file.
// `patches` has the bytes, in order, of what libtprt itself may have changed.
// The file's bytes at the breakpoints are added to it. What else differs from
// the file was written by the program, which may do so again: it is added to
// `written`, in any order, as what CodeView keeps. Under the lock, as the file
// is read. False: no memory.
bool addBreakpoints(const Module *module, Array<CodePatch> &patches,
                    Array<uint32_t> &written);

} // namespace tprt

#endif
