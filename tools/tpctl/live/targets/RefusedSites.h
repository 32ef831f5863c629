// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which functions an attach has refused, in words.

#ifndef TPCTL_LIVE_TARGETS_REFUSEDSITES_H
#define TPCTL_LIVE_TARGETS_REFUSEDSITES_H

#include "live/requests/Requests.h"

namespace tpctl {

/// The first reason, some of the functions, and the command that lists all of
/// them. `Process`: the arguments that select the process for that command.
/// Makes at most one request.
std::string describeRefused(Connection &C, const Patterns &P,
                            const Attached &Done, const std::string &Process);

} // namespace tpctl

#endif
