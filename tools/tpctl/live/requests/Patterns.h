// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The patterns of the live verbs. The process resolves globs. tpctl resolves
// regular expressions, by a list of all sites.

#ifndef TPCTL_LIVE_REQUESTS_PATTERNS_H
#define TPCTL_LIVE_REQUESTS_PATTERNS_H

#include "ProbePattern.h"
#include "RegexPattern.h"
#include "llvm/Support/Error.h"
#include <map>
#include <string>
#include <vector>

namespace tpctl {

class VerbSyntax;

class Patterns {
public:
  /// PATTERN... and the options below.
  void addOptions(VerbSyntax &Verb);
  /// -f FILE, --code, --sleds and --traps.
  void addOthers(VerbSyntax &Verb);
  /// --await, for a verb that can wait for libraries.
  void addAwait(VerbSyntax &Verb);
  /// Adds a pattern, as if it was given on the command line.
  void give(std::string Pattern) { Given.push_back(std::move(Pattern)); }
  /// Adds this pattern in place of those that were given.
  void giveOnly(std::string Pattern) {
    Given = {std::move(Pattern)};
    Files.clear();
  }
  /// Call this once, before the other functions. If no pattern selects
  /// anything, everything is selected. `Program` is the name of the program,
  /// if known, for an example of a pattern.
  llvm::Error prepare(llvm::StringRef Program = "");

  /// The patterns of the command line, without those that -f has read.
  llvm::ArrayRef<std::string> given() const { return Given; }
  /// Whether patterns or files of patterns were given.
  bool hasAny() const { return !Given.empty() || !Files.empty(); }
  /// The patterns for the process.
  llvm::ArrayRef<std::string> globs() const { return Globs; }
  /// Whether functions without sleds are wanted, too.
  bool takesCode() const { return Code; }
  void takeCode() { Code = true; }
  void leaveCode() { Code = false; }
  /// Whether that would change what is selected.
  bool mayTakeCode() const { return !Code; }
  /// Whether takeCodeOf() may be called: --sleds was not given.
  bool mayFallBack() const { return !Code && !SledsOnly; }
  /// Whether the pattern names functions, or all of a module, and so cannot
  /// select every function of a process.
  static bool namesFunctions(llvm::StringRef Pattern);
  /// Whether the pattern names points, or single instructions.
  static bool namesPoint(llvm::StringRef Pattern) {
    return Pattern.starts_with("point:");
  }
  static bool namesInstruction(llvm::StringRef Pattern);
  /// Whether the pattern names USDT probes, which are single instructions.
  static bool namesProbe(llvm::StringRef Pattern) {
    return ProbePattern::is(Pattern);
  }
  /// After prepare(): this pattern selects functions without sleds, too.
  void takeCodeOf(const std::string &Pattern);
  /// The globs of takeCodeOf(), if there are others.
  llvm::ArrayRef<std::string> codeGlobs() const { return InCode; }
  /// Whether --await was given.
  bool awaits() const { return Await; }
  /// After prepare(): the patterns that select something, and those that
  /// exclude something, without their "!".
  const std::vector<std::string> &positives() const { return Positives; }
  const std::vector<std::string> &negatives() const { return Negatives; }
  /// Whether only calls of profilers are wanted.
  void takeProfilers() { Profilers = true; }
  bool takesProfilers() const { return Profilers; }
  /// Whether sites without room for a jump get a breakpoint.
  bool takesTraps() const { return Traps; }
  bool hasRegexes() const { return !Takes.empty() || !Leaves.empty(); }
  /// Whether tpctl itself has to apply some of the patterns.
  bool appliesHere() const { return hasRegexes() || hasProbes(); }
  /// Whether USDT probes are wanted, and whether this one is. `Path` is that of
  /// its file.
  bool hasProbes() const { return !Probes.empty(); }
  bool takesProbe(llvm::StringRef Path, const usdt::Note &) const;
  /// Whether a regular expression excludes something.
  bool leavesByRegex() const { return !Leaves.empty(); }
  /// After prepare(): whether at least one pattern selects something. If false,
  /// all patterns only exclude something.
  bool takesSome() const { return !TakesAll; }
  /// The name of a group that tpctl fills by regular expressions. The name has
  /// the patterns, as many as fit into a message.
  std::vector<std::string> names() const;
  /// Whether one of the regular expressions selects a site.
  bool takes(const LiveSite &S) const;
  /// Whether one of the regular expressions excludes a site.
  bool leaves(const LiveSite &S) const;
  /// Patterns for the process that select all sites of the regular expressions,
  /// and possibly other sites. Empty if the expressions select nothing.
  std::vector<std::string> wider() const;
  /// The same options with only this pattern, before prepare().
  Patterns only(std::string Pattern) const;
  /// All options with these patterns, before prepare().
  Patterns with(std::vector<std::string> Texts) const {
    Patterns Others = *this;
    Others.Given = std::move(Texts);
    return Others;
  }
  /// Whether -f was given.
  bool hasFiles() const { return !Files.empty(); }
  /// After prepare() of both: selects functions without sleds where the others
  /// do, which have these patterns and more.
  void takeCodeAs(const Patterns &Others);
  /// One more pattern, after prepare().
  llvm::Error also(llvm::StringRef Pattern) { return add(Pattern); }
  /// From now on, only these sites of this process count: their numbers and
  /// kinds.
  using SiteKinds = std::map<uint32_t, uint8_t>;
  void takeOnly(int Pid, SiteKinds Sites) { Taken[Pid] = std::move(Sites); }
  /// Returns nullptr if only the patterns decide which sites of the process
  /// count.
  const SiteKinds *takenOf(int Pid) const {
    auto At = Taken.find(Pid);
    return At == Taken.end() ? nullptr : &At->second;
  }
  /// All patterns, for messages.
  std::string text() const;
  /// The options and patterns as the user can type them in a shell, each with
  /// a space after it.
  std::string asArguments() const;

private:
  llvm::Error add(llvm::StringRef Pattern);
  llvm::Error checkSize() const;
  std::vector<std::string> Given, Files, Globs;
  std::vector<RegexPattern> Takes, Leaves;
  std::vector<ProbePattern> Probes, NoProbes;
  std::vector<std::string> RegexTexts, Positives, Negatives, InCode;
  bool Code = false, SledsOnly = false, Traps = false, Profilers = false,
       TakesAll = false, Await = false;
  std::map<int, SiteKinds> Taken; ///< by process
};

} // namespace tpctl

#endif
