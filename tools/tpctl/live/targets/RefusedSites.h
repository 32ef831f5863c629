// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which functions an attach has refused, in words.

#ifndef TPCTL_LIVE_TARGETS_REFUSEDSITES_H
#define TPCTL_LIVE_TARGETS_REFUSEDSITES_H

#include "live/requests/Requests.h"
#include <set>

namespace tpctl {

/// The first reason, some of the functions, and the command that lists all of
/// them. `Process`: the arguments that select the process for that command.
/// Makes at most one request.
std::string describeRefused(Connection &C, const Patterns &P,
                            const Attached &Done, const std::string &Process);

/// Says that these functions were called, and that their calls have no times.
std::string describeUntimed(const std::set<std::string> &Functions,
                            const Patterns &P);

} // namespace tpctl

#endif
