// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See RuntimeOptions.h.

#include "RuntimeOptions.h"
#include "shared/UsageError.h"

#include <cstdlib>
#include <unistd.h>

using namespace llvm;

namespace tpctl {
namespace {

/// A value of TPRT_OPTIONS, which cannot hold both kinds of quotes.
Expected<std::string> optionValue(StringRef Text) {
  char Quote = Text.contains('\'') ? '"' : '\'';
  if (Text.contains(Quote))
    return wrongUsage("'" + Text + "' has both kinds of quotes");
  return (Twine(Quote) + Text + Twine(Quote)).str();
}

/// Adds the globs in the form of TPRT_OPTIONS. If a regular expression excludes
/// something, or calls are chosen by expressions, the program cannot resolve
/// the globs without tpctl.
Error addGlobs(const RecorderOptions &O, StringRef File, std::string &Text) {
  constexpr unsigned Most = 32; // as in libtprt
  unsigned Takes = 0, Nots = 0;
  auto add = [&](StringRef Option, const Twine &What) -> Error {
    auto Value = optionValue(What.str());
    if (!Value)
      return Value.takeError();
    Text += (Option + "=" + *Value + " ").str();
    return Error::success();
  };
  for (StringRef Glob : O.Chosen.globs()) {
    if (O.Chosen.leavesByRegex() || O.Expressions)
      break;
    bool Not = Glob.consume_front("!");
    ++(Not ? Nots : Takes);
    if (Error E = Not ? add("not", Glob) : add("record", File + ":" + Glob))
      return E;
  }
  if (!Takes)
    if (Error E = add("record", File + ":")) // tpctl says what
      return E;
  if (Takes > Most || Nots > Most)
    return wrongUsage("a command can have at most 32 globs, plus 32 of "
                      "the form !GLOB: combine some into one /regex/, "
                      "or record the running process (-p PID)");
  return Error::success();
}

} // namespace

bool choosesByTool(const RecorderOptions &O) {
  return O.Chosen.appliesHere() || O.Expressions;
}

Expected<std::string> fileOption(StringRef Path) {
  if (Path.contains(':'))
    return wrongUsage("'" + Path + "' has a colon: choose another name by -o");
  std::string Text;
  for (char C : Path)
    Text += C == '%' ? "%%" : std::string(1, C);
  return Text;
}

Expected<std::string> runtimeOptions(const RecorderOptions &O,
                                     bool WithSignals) {
  auto File = fileOption(O.Path);
  if (!File)
    return File.takeError();
  std::string Text;
  if (const char *Others = getenv("TPRT_OPTIONS"); Others && *Others)
    Text = std::string(Others) + " ";
  if (Error E = addGlobs(O, *File, Text))
    return E;
  Text += "mode=" + O.Mode;
  if (!O.Size.empty())
    Text += " size=" + O.Size;
  if (O.Arguments)
    Text += " args=" + std::to_string(O.Arguments);
  if (O.Results)
    Text += " results=1";
  if (O.Chosen.takesCode())
    Text += " code=1";
  if (O.Chosen.takesTraps())
    Text += " traps=1";
  if (choosesByTool(O))
    Text += " control=" + std::to_string(getpid());
  if (WithSignals)
    Text += " signals=1";
  if (!O.Strings.empty())
    Text += " strings=" + O.Strings;
  constexpr size_t Most = 4095; // as in libtprt
  if (Text.size() > Most)
    return wrongUsage(
        "TPRT_OPTIONS, which passes the patterns to the command, would have " +
        Twine(Text.size()) +
        " bytes; the limit is 4,095: join globs to a /regex/, or record the "
        "running process (-p PID)");
  return Text;
}

} // namespace tpctl
