// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Facts about a recording that was made on this machine since the machine's
// last start: whether a process is still running, and the current time of the
// recording's counter. The recording of a killed program does not contain these
// facts. Safe on any thread.

#ifndef TP_TRACE_HERE_H
#define TP_TRACE_HERE_H

#include "tprt/trace_file.h"
#include <cstdint>
#include <optional>

namespace tp::trace {

/// Whether the recording was made on this machine, since its last start.
bool isFromHere(const tprt_trace_header &Header);

/// Only for a recording that was made on this machine.
bool isRunning(uint32_t Pid);

/// The current time by the clocks of a recording made on this machine. Returns
/// nothing if this program cannot read the recording's counter, or if the
/// machine has slept: during sleep, the system's clock stops, but the counter
/// may continue.
std::optional<tprt_trace_moment> momentNow(const tprt_trace_header &Header);

} // namespace tp::trace

#endif
