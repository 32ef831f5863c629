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

// Ends the stay at `position`, whose handler has returned, whichever thread
// shows it. Trampolines do so themselves where a thread's guard is that of this
// stay.
void endStay(uint64_t position);

} // namespace tprt

#endif
