// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Breakpoints that other programs have set in a module's code: gdb, or the
// kernel for a uprobe (perf, bpftrace). If the decoder mistook a breakpoint for
// the program's instruction, it would also be wrong about the beginning of the
// next instruction.
#ifndef TPRT_ELF_FOREIGN_BREAKPOINTS_H
#define TPRT_ELF_FOREIGN_BREAKPOINTS_H

#include "modules/module.h"
#include "sites/code_site.h"

namespace tprt {

// Finds the breakpoints that are in the module's code and not in its file. On
// entry, `patches` contains the original bytes, in order, that libtprt itself
// may have changed. The file's bytes at the breakpoints are added to `patches`.
// All other differences from the file were written by the program, which may
// write these bytes again. They are added to `written`, in any order, for
// CodeView::kept. Called under the lock, because the file is read. Returns
// false if there is no memory.
bool addBreakpoints(const Module *module, Array<CodePatch> &patches,
                    Array<uint32_t> &written);

} // namespace tprt

#endif
