// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a module's functions begin and end, from its unwind tables. Works for
// files without symbols, too. Any thread; takes no lock.
#ifndef TPRT_DECODE_UNWIND_ENTRIES_H
#define TPRT_DECODE_UNWIND_ENTRIES_H

#include "sites/code_site.h"

namespace tprt {

// A run of code with an unwind entry (FDE). Offsets from the module's origin.
struct Function {
  uint32_t start, end;
  // It is not a function itself: at its beginning, the frame is not that after
  // a call. Examples are a part that a compiler moved away, and the code to
  // which the kernel returns from a signal. There is no site at its start.
  bool isFragment;
  // Its unwind entry is a signal frame's. It has no sites at all, because
  // unwinders and debuggers know such code by its bytes.
  bool isSignalFrame;
};

// Why nothing was found, if there was no memory for the lists of it.
inline constexpr char kNoMemory[] = "there is no memory for lists of it";

// Adds the functions in order of address. Returns nullptr, or the reason why
// there are none.
const char *findFunctions(const CodeView &view, Array<Function> &out);

// Whether the bytes from `start` to `end` lie in one segment with these rights
// (PF_R, PF_X).
bool isIn(const CodeView &view, uint64_t start, uint64_t end, uint64_t rights);

} // namespace tprt

#endif
