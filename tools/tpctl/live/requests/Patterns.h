// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The patterns of the live verbs: globs, which the process resolves, and
// regular expressions, which tpctl resolves over the list of all sites.

#ifndef TPCTL_LIVE_REQUESTS_PATTERNS_H
#define TPCTL_LIVE_REQUESTS_PATTERNS_H

#include "RegexPattern.h"
#include "llvm/Support/Error.h"
#include <map>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace tpctl {

class Patterns {
public:
  /// PATTERN... and the options below.
  void addOptions(CLI::App &Verb);
  /// -f FILE, --code and --traps.
  void addOthers(CLI::App &Verb);
  /// Adds a pattern, as if it was given on the command line.
  void give(std::string Pattern) { Given.push_back(std::move(Pattern)); }
  /// To be called once before the others. If no pattern selects something,
  /// everything is selected.
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
  /// Whether a regular expression leaves something out.
  bool leavesByRegex() const { return !Leaves.empty(); }
  /// After prepare(): whether a pattern takes something, and not all of them
  /// leave something out.
  bool takesSome() const { return !TakesAll; }
  /// What a group that tpctl fills by regular expressions is called: the
  /// patterns, as many as a message holds.
  std::vector<std::string> names() const;
  /// Whether a site is taken by one of the regular expressions.
  bool takes(const LiveSite &S) const;
  /// Whether it is left out by one of them.
  bool leaves(const LiveSite &S) const;
  /// Patterns for the process that take what the regular expressions take, and
  /// more. Empty: they take nothing.
  std::vector<std::string> wider() const;
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
  llvm::Error checkSize() const;
  std::vector<std::string> Given, Files, Globs;
  std::vector<RegexPattern> Takes, Leaves;
  std::vector<std::string> RegexTexts;
  bool Code = false, Traps = false, Profilers = false, TakesAll = false;
  std::map<int, SiteKinds> Taken; ///< by process
};

} // namespace tpctl

#endif
