// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the user has probably meant, if a process or a command is given in the
// wrong place, or a number among the patterns. See Target.h.

#include "Target.h"

#include "shared/CommandLine.h"
#include "shared/Output.h"
#include "shared/Processes.h"
#include "shared/Usage.h"
#include "shared/UsageError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;

namespace tpctl {

/// The options that a number among the patterns may be meant for.
std::string Target::optionsFor(const std::string &Number) const {
  std::vector<std::string> Options;
  pid_t Pid = 0;
  if (to_integer(Number, Pid, 10) && Pid > 0 && stateOf(Pid))
    Options.push_back("-p " + Number);
  // A larger number is more likely that of a process.
  const size_t MostDigits = Options.empty() ? 3 : 2;
  for (const char *Option : {"-n", "--group"})
    if (Verb->takes(Option) && Number.size() <= MostDigits)
      Options.push_back(std::string(Option) + " " + Number);
  return Options.empty() ? "" : "; did you mean " + join(Options, " or ") + "?";
}

static bool isNumber(StringRef Text) {
  return !Text.empty() && all_of(Text, isDigit);
}

std::string Target::guess() const {
  std::vector<std::string> Given = Verb->givenArguments();
  auto At = find_if(Given, [](const std::string &Text) {
    pid_t Pid = 0;
    return to_integer(Text, Pid, 10) ? Pid > 0 && stateOf(Pid) != 0
                                     : sys::fs::can_execute(Text);
  });
  if (At == Given.end())
    At = find_if(Given, isNumber);
  if (At == Given.end())
    return "";
  if (isNumber(*At))
    return optionsFor(*At);
  if (!runsCommand(Verb->name()))
    return "";
  std::string Text = "; did you mean --";
  if (!StringRef(*At).contains('/'))
    *At = "./" + *At;
  for (; At != Given.end(); ++At)
    Text += " " + shellWord(*At);
  return Text + "?";
}

Error Target::refuseNumbers() const {
  const std::vector<std::string> Given = Verb->givenArguments();
  auto At = find_if(Given, isNumber);
  return At == Given.end() ? Error::success()
                           : wrongUsage("'" + *At +
                                        "' is a number, and not "
                                        "the name of a function" +
                                        optionsFor(*At));
}

} // namespace tpctl
