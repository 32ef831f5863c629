// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Breakpoints that others have put into a module's code: gdb, or the kernel for
// a uprobe (perf, bpftrace). If the reader of code mistook one for the
// program's instruction, it would also be wrong about where the next
// instruction begins.
#ifndef TPRT_ELF_FOREIGN_BREAKPOINTS_H
#define TPRT_ELF_FOREIGN_BREAKPOINTS_H

#include "modules/module.h"
#include "sites/code_site.h"

namespace tprt {

// Finds the breakpoints that are in the module's code and not in its file. On
// entry, `patches` has the original bytes, in order, that libtprt itself may
// have changed. The file's bytes at the breakpoints are added to it. All other
// differences from the file were written by the program, which may write there
// again. They are added to `written`, in any order, for CodeView::kept. Under
// the lock, because the file is read. Returns false if there is no memory.
bool addBreakpoints(const Module *module, Array<CodePatch> &patches,
                    Array<uint32_t> &written);

} // namespace tprt

#endif
