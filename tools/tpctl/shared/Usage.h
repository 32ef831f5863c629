// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What tpctl says of its command line: the help, and what is wrong with the
// arguments that were given.

#ifndef TPCTL_USAGE_H
#define TPCTL_USAGE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <CLI/CLI.hpp>
#include <map>

namespace tpctl {

/// The verbs that run a command, which is after --.
bool runsCommand(llvm::StringRef Verb);

/// Prints the help of tpctl and of its verbs so that it fits on a screen.
class Help : public CLI::Formatter {
public:
  /// The line of usage shows the arguments that are no options. A screen has no
  /// room to list them again.
  std::string make_positionals(const CLI::App *) const override { return ""; }
  std::string make_usage(const CLI::App *App, std::string Name) const override;
  std::string make_help(const CLI::App *App, std::string Name,
                        CLI::AppFormatMode Mode) const override;
};

/// What is wrong, and the command that shows what would be right.
std::string explainUsage(const CLI::App &Top, const CLI::Error &E);

/// The same if the first argument is neither an option nor a verb; empty if it
/// is one.
std::string explainVerb(const CLI::App &Top, llvm::StringRef First);

/// Refuses values that CLI11 misunderstands, of each option that takes one.
/// Patterns and files are looked at by who uses them.
void refuseOddValues(CLI::App &Top);

/// The arguments, so that CLI11 leaves a value in brackets, as [a,b], whole.
/// Options are given what was typed.
std::vector<std::string> guarded(std::vector<std::string> Arguments);

/// "'yaml' is none of csv, json, text".
std::string noneOf(const std::string &Given, llvm::ArrayRef<std::string> Names);

/// Allows an option these names, and turns the one that is given into its
/// number.
template <class Enum>
CLI::Validator oneOf(const std::map<std::string, Enum> &Names) {
  auto Convert = [Names](std::string &Given) -> std::string {
    auto At = Names.find(Given);
    if (At != Names.end()) {
      Given = std::to_string(static_cast<int>(At->second));
      return "";
    }
    std::vector<std::string> All;
    for (const auto &[Name, Number] : Names)
      All.push_back(Name);
    return noneOf(Given, All);
  };
  return CLI::Validator(Convert, "");
}
/// The same for names that stay texts.
CLI::Validator oneOf(std::vector<std::string> Names);

} // namespace tpctl

#endif
