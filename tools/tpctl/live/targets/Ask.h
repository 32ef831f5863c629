// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options with expressions (docs/reference/expressions.md): --if, --by and
// --of say which calls count, what they are sorted by, and what is added up.
// --if and --print say which calls are recorded, and with which values. --in
// selects calls inside of others, --stop-if and --hits end the measurement, and
// --dry-run only shows the programs.

#ifndef TPCTL_LIVE_TARGETS_ASK_H
#define TPCTL_LIVE_TARGETS_ASK_H

#include "FunctionTypes.h"
#include "Matches.h"
#include "Scopes.h"
#include "expressions/Program.h"
#include <map>

namespace tpctl {

class VerbSyntax;

class Ask {
public:
  /// Adds the options. `Words` are the words that --by takes, and `Of` says
  /// what is added up.
  void addOptions(VerbSyntax &Verb, llvm::StringRef Words, llvm::StringRef Of);
  /// Adds --if, and the option with the values that are recorded.
  void addPrinting(VerbSyntax &Verb, llvm::StringRef Option,
                   llvm::StringRef Help);
  /// Adds --if and --by, for a verb whose rows have the times of calls.
  void addKeys(VerbSyntax &Verb, llvm::StringRef Words);
  /// Adds --if alone.
  void addCondition(VerbSyntax &Verb);
  /// After parsing: whether any of the options was given.
  bool isGiven() const {
    return !IfText.empty() || !ByText.empty() || !OfText.empty() ||
           !PrintText.empty();
  }
  /// After parsing: whether these were given.
  bool isPrinting() const {
    return !IfText.empty() || !PrintText.empty() || limits();
  }
  /// Reads them.
  llvm::Error preparePrinting();
  /// After parsing: whether expressions were given. If not, and --by is one of
  /// the verb's own words, returns false and stores its meaning in `Plain`.
  template <class T>
  bool isOn(llvm::ArrayRef<std::pair<llvm::StringRef, T>> Words,
            T &Plain) const {
    if (!IfText.empty() || !OfText.empty() || limits())
      return true;
    for (const auto &[Word, Meaning] : Words)
      if (ByText == Word) {
        Plain = Meaning;
        return false;
      }
    return !ByText.empty();
  }

  /// Reads the expressions. If --by was not given, `By` is used. With
  /// `Histogram`, the value is a call's duration if --of was not given.
  llvm::Error prepare(llvm::StringRef By, bool Histogram);
  /// Before that: the rows have the calls' own times, too.
  void wantSelf() { Asked.Self = true; }
  /// prepare(), then the patterns, then check().
  llvm::Error prepareWith(Patterns &P, llvm::StringRef Program,
                          llvm::StringRef By, bool Histogram);
  /// Notes whether the patterns select points or single instructions, and
  /// refuses them if the expressions need calls of functions as well. Reads the
  /// patterns of --in.
  llvm::Error check(const Patterns &P);
  /// After check(): whether calls are not selected, but points or single
  /// instructions.
  bool takesNoCalls() const { return TakesOthers; }
  /// The same for one of the calls of a pair (Pairs.h), with the expressions
  /// that `Of` was given for it.
  llvm::Error preparePair(const Ask &Of, expressions::PairOfCalls Pair,
                          llvm::StringRef By, bool Histogram);
  /// Whether the rows have pairs that have not ended.
  bool isOpen() const { return Asked.Pair && Asked.Pair->IsOpen; }
  /// After parsing: the text of --of.
  llvm::StringRef of() const { return OfText; }
  bool hasCondition() const { return Asked.If.has_value(); }
  /// Whether the program may end the measurement by itself.
  bool mayStop() const { return Asked.StopIf || Asked.Hits; }
  /// After parsing: whether it was asked for.
  bool asksToStop() const { return !StopText.empty() || Hits >= 0; }
  bool isDryRun() const { return DryRun; }
  /// Refuses options that have no effect without expressions.
  llvm::Error checkPlain() const;
  /// The groups of functions that the programs ask about.
  Scopes Around;
  /// After prepare(): whether the programs run when calls end.
  bool isAtEnd() const { return AtEnd; }
  /// Whether an expression uses the duration of calls.
  bool usesDuration() const;
  /// Whether an expression uses the number of open calls.
  bool usesDepth() const { return Asked.usesDepth(); }
  /// Whether a value was asked for.
  bool hasValue() const { return Asked.Of.has_value(); }
  bool isTime() const { return Value == expressions::ValueFormat::Time; }
  /// Whether the value is a double.
  bool isFloating() const {
    return Value == expressions::ValueFormat::Floating;
  }
  /// Whether a value may be a number without a sign, which libtprt takes for a
  /// signed one.
  bool isUnsigned() const { return Unsigned; }
  llvm::ArrayRef<expressions::KeyFormat> keys() const { return Keys; }
  /// The kinds of sites that the programs run at.
  uint32_t kinds() const;

  /// How a value is shown: enum tprt_trace_value_kind.
  static uint32_t valueKind(const expressions::KeyFormat &F);
  /// The end of a request (requestOf() in Ask.cpp). Empty: the expressions do
  /// not fit the function.
  std::string programOf(Connection &C, const LiveSite &S);
  /// The same for all functions. Empty: the programs differ by function.
  llvm::StringRef common() const { return Common; }

  /// The program in the end of a request, with what is known without its
  /// expressions.
  expressions::Program programIn(llvm::StringRef Request) const;
  /// Whether calls are recorded, and not added up.
  bool isRecording() const { return IsPrinting; }

  /// Whether the patterns select points now. If so, tpctl chooses the sites.
  bool takesPoints(Connection &C, const Patterns &P) const;
  /// Attaches the programs to a process.
  Following follow(Connection &C, const Patterns &P);
  /// After an attach: an error if the expressions fit none of the functions so
  /// far, and a message if they do not fit some.
  llvm::Error tellLeftOut();

private:
  /// Whether --in, --stop-if or --hits was given.
  bool limits() const { return Around.isInside() || asksToStop(); }
  void addLimits(VerbSyntax &Verb);
  /// Reads --if and --by, and the text of the value.
  llvm::Error readQuestion(llvm::StringRef By, llvm::StringRef Of);
  llvm::Error prepareAsked();
  std::string requestOf(const expressions::Program &Of) const;
  void learnFormats(expressions::Program Of);
  bool hasFormats() const { return Fitting || (TakesCalls && !Common.empty()); }
  expressions::Signature signatureOf(Connection &C, const LiveSite &S);
  llvm::Expected<expressions::Program> compileFor(Connection &C,
                                                  const LiveSite &S);
  std::string IfText, ByText, OfText, PrintText, PrintOption;
  std::string StopText;
  int Hits = -1; ///< not given
  bool DryRun = false;
  bool IsPrinting = false;
  expressions::Asked Asked;
  std::vector<expressions::KeyFormat> Keys;
  expressions::ValueFormat Value = expressions::ValueFormat::Number;
  bool Unsigned = false;
  bool AtEnd = false, Typed = false;
  bool TakesOthers = false; ///< points or single instructions are named
  bool TakesCalls = true;   ///< functions are
  /// The program for all functions. Empty: the expressions use arguments' names
  /// or types, so programs differ by function.
  std::string Common;
  FunctionTypes Types;
  /// By module, address, the module's base, and the process if the expressions
  /// name its other modules. Empty: they do not fit the function.
  std::map<std::tuple<std::string, uint64_t, uint64_t, uint64_t>, std::string>
      ByFunction;
  std::string FirstLeftOut;
  /// What `args` leaves out, of the first function of which it does.
  std::string ArgumentsLeftOut;
  bool HasLeftArgumentsOut = false;
  std::optional<std::string> WhyLeftOut; ///< of that function
  size_t Fitting = 0, LeftOut = 0, ToldOf = 0;
};

} // namespace tpctl

#endif
