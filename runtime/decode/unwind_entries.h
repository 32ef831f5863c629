// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The beginnings and ends of a module's functions, from its unwind tables. This
// also works for files without symbols. May be called on any thread; acquires
// no lock.
#ifndef TPRT_DECODE_UNWIND_ENTRIES_H
#define TPRT_DECODE_UNWIND_ENTRIES_H

#include "sites/code_site.h"

namespace tprt {

// A run of code with an unwind entry (FDE). Offsets from the module's origin.
struct Function {
  uint32_t start, end;
  // The run is not a function itself: at its beginning, the frame differs from
  // that after a call. Examples are a part that a compiler moved elsewhere, and
  // the code to which the kernel returns from a signal. There is no site at its
  // beginning.
  bool isFragment;
  // Its unwind entry describes a signal frame. Such a run has no sites at all,
  // because unwinders and debuggers recognise such code by its bytes.
  bool isSignalFrame;
};

// The reason for an empty result, if there was no memory for the lists.
inline constexpr char kNoMemory[] = "there is no memory for lists of it";

// Adds the functions in order of address. Returns nullptr, or the reason why
// there are no functions.
const char *findFunctions(const CodeView &view, Array<Function> &out);

// Whether the bytes from `start` to `end` lie in one segment with these rights
// (PF_R, PF_X).
bool isIn(const CodeView &view, uint64_t start, uint64_t end, uint64_t rights);

} // namespace tprt

#endif
