// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The groups of functions whose open calls programs ask for: the functions of
// --in, and for the name `depth` the selected functions themselves.

#ifndef TPCTL_LIVE_TARGETS_SCOPES_H
#define TPCTL_LIVE_TARGETS_SCOPES_H

#include "Matches.h"

namespace tpctl {

class Target;
class VerbSyntax;

class Scopes {
public:
  /// Adds --in.
  void addOption(VerbSyntax &Verb);
  /// After parsing: whether --in was given.
  bool isInside() const { return !Given.empty(); }
  /// The patterns of --in, for messages.
  std::string text() const { return In.text(); }
  /// An expression uses `depth`.
  void needDepth() { HasDepth = true; }
  bool any() const { return HasDepth || isInside(); }

  /// Reads the patterns of --in. `Chosen` has the other options.
  llvm::Error prepare(const Patterns &Chosen);
  /// Looks for the functions of --in in all processes, before anything is
  /// attached.
  llvm::Error check(Target &At);
  /// Makes the groups in a process, before programs are attached there.
  /// `Chosen` must outlive the result, which is to be told of libraries that
  /// are loaded later (followLater()).
  llvm::Expected<std::vector<Following>> attach(Connection &C,
                                                const Patterns &Chosen);
  static llvm::Error followLater(std::vector<Following> &Of);

private:
  llvm::Error attachOne(Connection &C, const Patterns &P, bool IsIn,
                        std::vector<Following> &To);

  std::vector<std::string> Given;
  Patterns In;
  bool HasDepth = false, ToldDepth = false;
};

} // namespace tpctl

#endif
