// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line of tpctl: its verbs, and the arguments and options of each
// verb. The headers of CLI11, which parses the command line, take seconds to
// compile, so only CommandLine.cpp includes them.

#ifndef TPCTL_COMMAND_LINE_H
#define TPCTL_COMMAND_LINE_H

#include "Verb.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace tpctl {

/// An argument or option of a verb. These functions restrict it further.
class Option {
public:
  /// The user has to give it.
  Option required();
  /// The help has no line for it, because that of another option names it.
  Option unlisted();
  /// It cannot be given together with the other one.
  Option excludes(Option Other);
  /// Of several arguments or values, takes only one.
  Option takesOne();
  /// Takes all values that follow it, not only one each time it is given.
  Option takesFollowing();
  /// The number must be `Least`, `Most` or between them.
  Option within(int Least, int Most);
  /// The number must be above 0.
  Option positive();
  /// The value must be the path of an existing file or folder.
  Option existing();
  /// The value must be one of these texts.
  Option oneOf(std::vector<std::string> Texts);

private:
  friend class VerbSyntax;
  explicit Option(CLI::Option *Of) : Of(Of) {}
  CLI::Option *Of;
};

/// The syntax of a verb. The given values are stored in the variables when the
/// command line is parsed. A variable keeps its value if nothing is given for
/// it.
///
/// `Names` are the names of an option, as in "-q,--quiet". `Value` is the text
/// for an option's value in the help.
class VerbSyntax {
public:
  /// An argument that is not an option.
  Option addArgument(llvm::StringRef Name, std::string &To);
  /// All arguments that are not options.
  Option addArguments(llvm::StringRef Name, std::vector<std::string> &To);

  /// An option with a value: a std::string, int, uint32_t, uint64_t or double.
  /// If \p To is a std::vector of one of the first three, the option may be
  /// given several times, with one value each time.
  template <class T>
  Option addOption(llvm::StringRef Names, T &To, llvm::StringRef Value,
                   llvm::StringRef Description);

  /// An option without a value.
  Option addFlag(llvm::StringRef Names, bool &To, llvm::StringRef Description);

  /// One of the texts that an option takes, with what it stands for.
  template <class T> using Choice = std::pair<llvm::StringRef, T>;
  /// An option with one of these texts as its value.
  template <class T>
  Option addChoice(llvm::StringRef Names, T &To,
                   llvm::ArrayRef<Choice<std::type_identity_t<T>>> Choices,
                   llvm::StringRef Value, llvm::StringRef Description) {
    std::vector<std::string> Texts;
    std::vector<T> Values;
    for (const auto &[Text, Meaning] : Choices) {
      Texts.push_back(Text.str());
      Values.push_back(Meaning);
    }
    return addChoiceOf(
        Names, std::move(Texts),
        [&To, Values = std::move(Values)](size_t At) { To = Values[At]; },
        Value, Description);
  }

  /// A text after the options in the help.
  void setFooter(llvm::StringRef Text);
  /// What the verb does.
  void setAction(Action Of) { Does = std::move(Of); }

  const std::string &name() const;
  std::string description() const;
  /// Whether the verb has an option of this name.
  bool takes(llvm::StringRef Name) const;
  /// The names of the options that begin with --.
  std::vector<std::string> longNames() const;

  /// After parsing: whether the option of this name was given.
  bool isGiven(llvm::StringRef Name) const;
  /// After parsing: the given arguments that are not options.
  std::vector<std::string> givenArguments() const;

private:
  friend class CommandLine;
  explicit VerbSyntax(CLI::App &Of) : Of(Of) {}
  Option addChoiceOf(llvm::StringRef Names, std::vector<std::string> Texts,
                     std::function<void(size_t)> Take, llvm::StringRef Value,
                     llvm::StringRef Description);
  CLI::App &Of;
  Action Does;
};

class CommandLine {
public:
  /// `Version` is printed for --version.
  explicit CommandLine(llvm::StringRef Version);
  ~CommandLine();
  CommandLine(const CommandLine &) = delete;

  /// Adds a verb. The reference stays valid.
  VerbSyntax &addVerb(llvm::StringRef Name, llvm::StringRef Description);
  llvm::ArrayRef<std::unique_ptr<VerbSyntax>> verbs() const { return Verbs; }

  /// Parses the arguments without the program's name, after all verbs were
  /// added. Returns the action of the given verb, or one that prints the help
  /// or the version. If the arguments are wrong, returns a UsageError.
  llvm::Expected<Action> parse(std::vector<std::string> Arguments);

private:
  const std::unique_ptr<CLI::App> Top;
  std::vector<std::unique_ptr<VerbSyntax>> Verbs;
};

} // namespace tpctl

#endif
