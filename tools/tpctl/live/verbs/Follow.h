// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tpctl trace on running processes: prints lines as events happen. The process
// records into a ring. About ten times a second it makes a copy, and tpctl
// prints the new events in it.

#ifndef TPCTL_LIVE_VERBS_FOLLOW_H
#define TPCTL_LIVE_VERBS_FOLLOW_H

#include "live/record/Recorder.h"
#include "live/targets/Target.h"
#include "shared/Selection.h"
#include "shared/TracePicks.h"

namespace tpctl {

struct FollowOptions : RecorderOptions {
  explicit FollowOptions(llvm::ArrayRef<char *> Command) : At(Command) {}
  Target At;
  TracePicks Picks;
  std::string Output = "-";
  uint64_t Limit = 0; ///< lines in all; 0: no limit
  uint64_t Rate = 0;  ///< lines a second; 0: no limit
};

/// Runs until the processes end, --for has passed, or Ctrl-C is pressed.
llvm::Expected<ExitCode> followProcesses(FollowOptions &O,
                                         const Selection &Chosen);

} // namespace tpctl

#endif
