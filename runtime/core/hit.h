// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the trampolines of arch/<name>/ call when a hit needs more than their
// short way. Inside hits; async-signal-safe.
#ifndef TPRT_CORE_HIT_H
#define TPRT_CORE_HIT_H

#include "core/sites.h"

namespace tprt {

// Delivers a hit, whose position on the stack is where its registers are.
// Returns the function to run in place of the site's, or nullptr. The caller
// keeps all of the program's registers, and restores those in *regs from there.
const void *deliver(const StubData *data, tprt_regs *regs);

} // namespace tprt

#endif
