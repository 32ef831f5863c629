// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Options.h. The -mllvm options are made at load time, and only if no other
// copy of this library made them before: LLVM ends the process when an option
// is registered twice.

#include "Options.h"
#include "FilterList.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include <atomic>

using namespace llvm;

namespace tp {
namespace {

struct CommandLine {
  cl::opt<std::string> Entry{
      "tp-entry", cl::desc("Entry sleds: N nops, M of them before the label"),
      cl::value_desc("N[,M]")};
  cl::opt<bool> Exit{"tp-exit", cl::desc("Sleds before returns and tail calls"),
                     cl::ValueDisallowed};
  cl::opt<std::string> Slot{
      "tp-slot", cl::desc("Room for a jump before the entry: auto or none"),
      cl::value_desc("auto|none")};
  cl::list<std::string> Filter{
      "tp-filter", cl::desc("Special case list with [always] and [never]"),
      cl::value_desc("file")};
  cl::opt<std::string> Threshold{
      "tp-instruction-threshold",
      cl::desc("No sled in loop-free functions with fewer instructions"),
      cl::value_desc("K")};
};

CommandLine *TheCommandLine = [] {
  auto &Known = cl::getRegisteredOptions();
  return Known.contains("tp-entry") ? nullptr : new CommandLine;
}();

} // namespace

bool isFirstCopy() { return TheCommandLine != nullptr; }

bool claimFrontend() {
  static std::atomic<bool> Claimed{false};
  return isFirstCopy() && !Claimed.exchange(true);
}

std::string applyOption(Options &O, StringRef Key, StringRef Value,
                        bool HasValue) {
  if (Key == "entry") {
    std::string Expected;
    auto Spec = parseEntrySpec(Value, Expected);
    if (Spec && Spec->Total == 0)
      O.Entry.reset();
    else if (Spec)
      O.Entry = Spec;
    return Expected;
  }
  if (Key == "exit") {
    if (HasValue)
      return "expected no value";
    O.Exit = true;
    return "";
  }
  if (Key == "slot") {
    if (Value != "auto" && Value != "none")
      return "expected auto or none";
    O.SlotAuto = Value == "auto";
    return "";
  }
  if (Key == "filter") {
    if (Value.empty())
      return "expected the name of a file";
    O.FilterFiles.push_back(Value.str());
    return "";
  }
  if (Key == "instruction-threshold") {
    if (Value.empty() || !all_of(Value, isDigit) ||
        Value.getAsInteger(10, O.Threshold))
      return "expected a number of machine instructions";
    return "";
  }
  return "unknown key: expected entry, exit, slot, filter or "
         "instruction-threshold";
}

std::string loadFilters(Options &O, vfs::FileSystem &FS) {
  if (O.FilterFiles.empty())
    return "";
  std::string Error;
  O.Filter = FilterList::load(O.FilterFiles, FS, Error);
  return Error;
}

bool optionsFromCommandLine(Options &O, std::string &Error) {
  if (!TheCommandLine)
    return true;
  auto Apply = [&](StringRef Key, const std::string &Value, bool Given) {
    if (!Given || !Error.empty())
      return;
    std::string Message = applyOption(O, Key, Value, true);
    if (!Message.empty())
      Error = ("invalid value '" + Value + "' in '-tp-" + Key + "=" + Value +
               "': " + Message)
                  .str();
  };
  const CommandLine &C = *TheCommandLine;
  Apply("entry", C.Entry, C.Entry.getNumOccurrences());
  O.Exit = C.Exit;
  Apply("slot", C.Slot, C.Slot.getNumOccurrences());
  Apply("instruction-threshold", C.Threshold, C.Threshold.getNumOccurrences());
  for (const std::string &File : C.Filter)
    Apply("filter", File, true);
  if (Error.empty())
    Error = loadFilters(O, *vfs::getRealFileSystem());
  return Error.empty();
}

} // namespace tp
