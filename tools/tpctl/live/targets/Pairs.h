// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --since and --open: calls that belong together by a key. A call of one
// function starts a pair, and a later call of another one, in any thread, ends
// it. Each function comes with the expression that is its key.

#ifndef TPCTL_LIVE_TARGETS_PAIRS_H
#define TPCTL_LIVE_TARGETS_PAIRS_H

#include "Ask.h"

namespace tpctl {

class Pairs {
public:
  void addOptions(VerbSyntax &Verb);
  void addOpen(VerbSyntax &Verb);
  /// After parsing: whether one of the options was given.
  bool isOn() const { return !Since.empty() || Open; }
  bool isOpen() const { return Open; }

  /// Reads --since, and the patterns, which have the form FUNCTION:EXPR. From
  /// then on, `P` has the functions of both. `Question` has --if, --by and
  /// --of; `By` is used if --by was not given.
  llvm::Error prepare(Patterns &P, const Ask &Question, llvm::StringRef By,
                      bool Histogram);
  /// The calls that have rows.
  Ask &rows() const { return *Rows; }
  /// Whether --if was given.
  bool hasCondition() const { return Sides.back()->Calls.hasCondition(); }
  /// The kinds of sites that the programs run at.
  uint32_t kinds() const;
  /// `P` is prepared, and its functions were searched for.
  Following follow(Connection &C, const Patterns &P);
  /// See Ask.
  llvm::Error tellLeftOut();

private:
  struct Side {
    std::string Text, Key; ///< as given; its EXPR
    bool Starts = false;
    Patterns Of;
    Ask Calls;
  };
  llvm::Error check(const Patterns &P, const Ask &Question,
                    bool Histogram) const;
  llvm::Error add(const Patterns &P, const Ask &Question, llvm::StringRef Text,
                  bool Starts, llvm::StringRef By, bool Histogram);

  bool take(const Side &By, pid_t Pid, const LiveSite &S);

  std::vector<std::string> Since;
  bool Open = false;
  /// Those that end pairs are first: a pair that is seen to start is also seen
  /// to end.
  std::vector<std::unique_ptr<Side>> Sides;
  std::vector<std::string> Excluded; ///< the patterns with a "!"
  Ask *Rows = nullptr;
  /// By which side a function of a process starts or ends pairs: by process,
  /// module, address and the module's base; and whether it starts them.
  std::map<std::tuple<pid_t, std::string, uint64_t, uint64_t, bool>,
           const Side *>
      Taken;
  std::string Fault; ///< of functions that two sides have
};

} // namespace tpctl

#endif
