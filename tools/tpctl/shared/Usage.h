// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The help of tpctl, and its messages about wrong arguments.

#ifndef TPCTL_USAGE_H
#define TPCTL_USAGE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <CLI/CLI.hpp>
#include <map>

namespace tpctl {

/// The verbs that run a command after --.
bool runsCommand(llvm::StringRef Verb);

/// Makes the help of tpctl and of its verbs fit on a screen.
class Help : public CLI::Formatter {
public:
  /// The usage line shows the arguments that are not options. A screen has no
  /// room to list them again.
  std::string make_positionals(const CLI::App *) const override { return ""; }
  std::string make_usage(const CLI::App *App, std::string Name) const override;
  std::string make_help(const CLI::App *App, std::string Name,
                        CLI::AppFormatMode Mode) const override;
};

/// A message about the fault, with the command that shows the right usage.
std::string explainUsage(const CLI::App &Top, const CLI::Error &E);

/// The message for a first argument that is not an option or a verb. Empty if
/// the first argument is an option or a verb.
std::string explainVerb(const CLI::App &Top, llvm::StringRef First);

/// Refuses values that CLI11 misunderstands, for each option with a value.
/// Patterns and files are checked where they are used.
void refuseOddValues(CLI::App &Top);

/// Changes the arguments so that CLI11 does not split a value in brackets, such
/// as [a,b]. Options still get the text that the user typed.
std::vector<std::string> guarded(std::vector<std::string> Arguments);

/// "'yaml' is none of csv, json, text".
std::string noneOf(const std::string &Given, llvm::ArrayRef<std::string> Names);

/// Allows only these names as values of an option, and turns the given name
/// into its number.
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
/// Allows only these names as values of an option. The value remains a text.
CLI::Validator oneOf(std::vector<std::string> Names);

} // namespace tpctl

#endif
