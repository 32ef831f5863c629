// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The patterns of the live verbs: globs, which the process resolves, and
// regular expressions, which tpctl resolves over the list of all sites.

#ifndef TPCTL_LIVE_PATTERNS_H
#define TPCTL_LIVE_PATTERNS_H

#include "llvm/Support/Error.h"
#include "llvm/Support/Regex.h"
#include <map>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace tpctl {

class Patterns {
public:
  /// PATTERN... and -f FILE.
  void addOptions(CLI::App &Verb);
  /// One more pattern, as if it was given.
  void give(std::string Pattern) { Given.push_back(std::move(Pattern)); }
  /// To be called once before the others. Without a pattern that takes
  /// something, everything is taken.
  llvm::Error prepare();

  /// As given, without what -f has read.
  llvm::ArrayRef<std::string> given() const { return Given; }
  /// For the process.
  llvm::ArrayRef<std::string> globs() const { return Globs; }
  /// Whether functions without sleds are asked for, too.
  bool takesCode() const { return Code; }
  /// Calls of profilers are asked for, and nothing else.
  void takeProfilers() { Profilers = true; }
  bool takesProfilers() const { return Profilers; }
  /// Whether sites where no jump fits are to be turned on by breakpoints.
  bool takesTraps() const { return Traps; }
  bool hasRegexes() const { return !Takes.empty() || !Leaves.empty(); }
  /// Whether a name is taken by one of the regular expressions.
  bool takes(llvm::StringRef Name) const;
  /// Whether a name is left out by one of them.
  bool leaves(llvm::StringRef Name) const;
  /// The same options with this pattern alone, before prepare().
  Patterns only(std::string Pattern) const;
  /// One more pattern, after prepare().
  llvm::Error also(llvm::StringRef Pattern) { return add(Pattern); }
  /// From now on, of this process only these sites: their numbers and kinds.
  using SiteKinds = std::map<uint32_t, uint8_t>;
  void takeOnly(int Pid, SiteKinds Sites) { Taken[Pid] = std::move(Sites); }
  /// nullptr: the patterns alone say what is taken of the process.
  const SiteKinds *takenOf(int Pid) const {
    auto At = Taken.find(Pid);
    return At == Taken.end() ? nullptr : &At->second;
  }
  /// All of them, for messages.
  std::string text() const;

private:
  llvm::Error add(llvm::StringRef Pattern);
  std::vector<std::string> Given, Files, Globs;
  std::vector<llvm::Regex> Takes, Leaves;
  bool Code = false, Traps = false, Profilers = false;
  std::map<int, SiteKinds> Taken; ///< by process
};

/// Refuses regular expressions, for verbs whose patterns the process applies:
/// those that record.
llvm::Error refuseRegexes(llvm::ArrayRef<std::string> Patterns);

/// Refuses --code where no pattern takes something.
llvm::Error checkCodePatterns(llvm::ArrayRef<std::string> Patterns);

} // namespace tpctl

#endif
