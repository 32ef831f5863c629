// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What this machine can say of a recording that was made on it since its last
// start: whether a process still runs, and what the time is by the recording's
// counter. A program that was killed has left neither. Any thread.

#ifndef TP_TRACE_HERE_H
#define TP_TRACE_HERE_H

#include "tprt/trace_file.h"
#include <cstdint>
#include <optional>

namespace tp::trace {

/// Whether the recording was made on this machine, since its last start.
bool isFromHere(const tprt_trace_header &Header);

/// Of a recording from here.
bool isRunning(uint32_t Pid);

/// The time now by the clocks of a recording from here. Nothing if this program
/// cannot read that counter, or if the machine has slept: then the system's
/// clock stood still, and the counter may not have.
std::optional<tprt_trace_moment> momentNow(const tprt_trace_header &Header);

} // namespace tp::trace

#endif
