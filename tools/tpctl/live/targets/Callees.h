// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --callees-of: looks for a while at which functions one function calls, and
// lets a live verb take only these.

#ifndef TPCTL_LIVE_TARGETS_CALLEES_H
#define TPCTL_LIVE_TARGETS_CALLEES_H

#include "Target.h"

namespace tpctl {

class Patterns;

class CalleesOf {
public:
  /// --callees-of and --learn.
  void addOptions(CLI::App &Verb);
  /// Whether --callees-of was given.
  bool isOn() const { return !Name.empty(); }
  /// Where --callees-of was given: lets the command go on to main(), and looks
  /// until the function was called and --learn has passed. Then the patterns
  /// take this function and those that it was seen to call, of those that they
  /// took before. --for begins anew.
  llvm::Error learn(Target &At, Patterns &P) const;

private:
  std::string Name, Time = "1s";
};

} // namespace tpctl

#endif
