// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options that select the files, functions, threads and calls for a verb.

#ifndef TPCTL_SELECTION_H
#define TPCTL_SELECTION_H

#include "NameGlob.h"
#include "Profile.h"
#include "Sources.h"
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace tpctl {

class VerbSyntax;

/// Parses a duration with a unit, such as 5us, into nanoseconds. 0 needs no
/// unit.
llvm::Expected<double> parseDuration(llvm::StringRef Text);

/// Nanoseconds as parseDuration() reads them, in the largest unit that gives 1
/// or more: 1.5ms. `Gap` comes before the unit.
std::string durationText(double Nanoseconds, llvm::StringRef Gap = "");

/// The newest file in the working folder whose name ends with .tp, for verbs
/// that were given no file. Prints a note with its name.
llvm::Expected<std::string> newestRecording();

/// A function's name in at most 60 columns, for tables and messages.
std::string shortName(llvm::StringRef Name);

/// How a pattern matches a function. A pattern may match any shown name, even a
/// name with the text that distinguishes functions of equal names.
tp::trace::NameMatch matchOf(const tp::trace::NameGlob &Glob,
                             llvm::StringRef Linked, llvm::StringRef Name,
                             llvm::StringRef Where);

class Selection {
public:
  std::vector<std::string> Files;
  Sources Code;

  /// Adds the files as positional arguments. If the user gives none, prepare()
  /// takes newestRecording().
  void addFiles(VerbSyntax &Verb, bool Several);
  /// -F, --thread, --from, --to, --last, --around.
  void addCuts(VerbSyntax &Verb);
  /// --min.
  void addLeastDuration(VerbSyntax &Verb);
  /// --min, --max.
  void addDurations(VerbSyntax &Verb);

  /// --full-names.
  void addNames(VerbSyntax &Verb);
  /// A function's name for display: long ones are shortened.
  std::string shown(llvm::StringRef Name) const;
  bool fullNames() const { return FullNames; }

  /// Parses the globs. Call this once, before the other functions.
  llvm::Error prepare();
  bool takes(const tp::trace::Function &F) const;
  /// If a pattern of -F is some function's whole name, it selects no other
  /// function, in any recording. So the names of all recordings must be known.
  /// If there are several recordings, call this before takes() and filterFor().
  llvm::Error learnNames(llvm::ArrayRef<std::string> Files) const;
  void learnNames(tp::trace::Recording &R) const;
  /// The filter for a recording, with times in the recording's ticks. May read
  /// the recording's events.
  llvm::Expected<tp::trace::CallFilter>
  filterFor(tp::trace::Recording &R) const;
  /// --min in nanoseconds; 0 if it was not given.
  llvm::Expected<double> leastDuration() const;
  /// Whether --from, --to, --last or --around was given.
  bool cutsTime() const;
  bool hasGlobs() const { return !Globs.empty(); }
  /// Explains why there is nothing to show.
  std::string explainNothing(tp::trace::Recording &R, uint64_t Events,
                             uint64_t Lost) const;

private:
  bool cuts() const;
  llvm::Error cutLast(tp::trace::Recording &R, tp::trace::CallFilter &F) const;
  llvm::Error cutAround(tp::trace::Recording &R,
                        tp::trace::CallFilter &F) const;
  std::vector<std::string> Globs;
  std::vector<uint32_t> Tids;
  bool FullNames = false, TakesNewest = false;
  std::string Min, Max, From, To, Last, Around;
  /// A pattern, and whether the pattern is the whole name of some function.
  /// Such a pattern selects no other function.
  struct NameChoice {
    tp::trace::NameGlob Glob;
    bool Whole = false;
  };
  mutable std::vector<NameChoice> Wanted, Unwanted;
  /// The results of takes() in a recording. The recording's functions keep
  /// their addresses.
  struct Known {
    std::mutex Mutex;
    llvm::DenseMap<const tp::trace::Function *, bool> Taken;
    /// The text that distinguishes a function, for the recording learned last.
    llvm::DenseMap<const tp::trace::Function *, std::string> Where;
  };
  tp::trace::NameMatch match(const NameChoice &C,
                             const tp::trace::Function &F) const;
  std::shared_ptr<Known> Found = std::make_shared<Known>();
};

/// Prints which parts of a recording were skipped or repaired.
void tellFindings(tp::trace::Recording &R);

} // namespace tpctl

#endif
