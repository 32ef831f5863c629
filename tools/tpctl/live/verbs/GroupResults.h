// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the groups that `tpctl on` left in processes have counted and timed.

#ifndef TPCTL_LIVE_VERBS_GROUPRESULTS_H
#define TPCTL_LIVE_VERBS_GROUPRESULTS_H

#include "CountTable.h"
#include "live/measure/Timing.h"
#include "live/targets/Ask.h"

namespace tpctl {

/// --group N.
void addGroup(VerbSyntax &Verb, uint32_t &Group);
/// Refuses patterns and expressions: those of the group apply.
llvm::Error checkForGroup(const Patterns &P, const Ask &Question);

/// The results of a group of that number in each process of the target, which
/// was not prepared before.
template <class Rows> struct GroupResults {
  Rows Of;
  double Seconds = 0; ///< the age of the oldest group
};
llvm::Expected<GroupResults<CountSums>> countsOfGroup(Target &At,
                                                      uint32_t Group);
llvm::Expected<GroupResults<std::map<std::string, CallTimes>>>
timesOfGroup(Target &At, uint32_t Group);

} // namespace tpctl

#endif
