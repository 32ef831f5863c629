// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --callees-of: observes for a while which functions one function calls, and
// limits a live verb to these.

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
  /// If --callees-of was given: lets the command continue to main(), and
  /// observes until the function was called and --learn has passed. Then the
  /// patterns are limited to this function and the functions that it was seen
  /// to call. --for starts again.
  llvm::Error learn(Target &At, Patterns &P) const;

private:
  std::string Name, Time = "1s";
};

} // namespace tpctl

#endif
