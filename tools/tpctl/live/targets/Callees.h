// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --callees-of: observes for a while which functions a given function calls,
// and limits a live verb to these functions.

#ifndef TPCTL_LIVE_TARGETS_CALLEES_H
#define TPCTL_LIVE_TARGETS_CALLEES_H

#include "Target.h"

namespace tpctl {

class VerbSyntax;

class Patterns;

class CalleesOf {
public:
  /// --callees-of and --learn.
  /// Returns --callees-of itself.
  Option addOptions(VerbSyntax &Verb);
  /// Whether --callees-of was given.
  bool isOn() const { return !Name.empty(); }
  /// If --callees-of was given, lets the command continue to main(), and
  /// observes until the function was called and --learn has passed. Then limits
  /// the patterns to this function and the functions that it was seen to call.
  /// The time of --for starts again.
  llvm::Error learn(Target &At, Patterns &P) const;

private:
  std::string Name, Time = "1s";
};

} // namespace tpctl

#endif
