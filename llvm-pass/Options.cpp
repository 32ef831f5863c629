// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Options.h. The -mllvm options are made at load time, and only if no other
// copy of this library made them before: LLVM ends the process when an option
// is registered twice.

#include "Options.h"
#include "FilterList.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <atomic>

using namespace llvm;

namespace tp {
namespace {

struct KeyInfo {
  StringLiteral Name;
  StringLiteral Value; // empty: takes none
  StringLiteral Help;
};

constexpr KeyInfo EntryKey = {
    "entry", "N[,M]", "entry sleds of N nops, M of them before the label"};
constexpr KeyInfo ExitKey = {"exit", "", "sleds before returns and tail calls"};
constexpr KeyInfo SlotKey = {"slot", "auto|none",
                             "room for a jump before the entry of short sleds"};
constexpr KeyInfo FilterKey = {"filter", "FILE",
                               "special case list with [always] and [never]"};
constexpr KeyInfo ThresholdKey = {
    "instruction-threshold", "K",
    "no sled in loop-free functions with fewer machine instructions"};
constexpr KeyInfo OpaqueKey = {
    "opaque", "", "hide functions with sleds from their callers' optimisation"};
constexpr KeyInfo NamesKey = {
    "names", "", "keep the names of functions with sleds in stripped files"};
constexpr KeyInfo HelpKey = {"help", "", "print this list"};
constexpr const KeyInfo *Keys[] = {&EntryKey,  &ExitKey,      &SlotKey,
                                   &FilterKey, &ThresholdKey, &OpaqueKey,
                                   &NamesKey,  &HelpKey};

// The -mllvm spelling of each key but help.
struct CommandLine {
  cl::opt<std::string> Entry{"tp-entry", cl::desc(EntryKey.Help),
                             cl::value_desc(EntryKey.Value)};
  cl::opt<bool> Exit{"tp-exit", cl::desc(ExitKey.Help), cl::ValueDisallowed};
  cl::opt<std::string> Slot{"tp-slot", cl::desc(SlotKey.Help),
                            cl::value_desc(SlotKey.Value)};
  cl::list<std::string> Filter{"tp-filter", cl::desc(FilterKey.Help),
                               cl::value_desc(FilterKey.Value)};
  cl::opt<std::string> Threshold{"tp-instruction-threshold",
                                 cl::desc(ThresholdKey.Help),
                                 cl::value_desc(ThresholdKey.Value)};
  cl::opt<bool> Opaque{"tp-opaque", cl::desc(OpaqueKey.Help),
                       cl::ValueDisallowed};
  cl::opt<bool> Names{"tp-names", cl::desc(NamesKey.Help), cl::ValueDisallowed};
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

static std::string unknownKey(StringRef Key) {
  const KeyInfo *Nearest = nullptr;
  unsigned Distance = 3; // two letters exchanged are two changes
  for (const KeyInfo *K : Keys)
    if (unsigned D = Key.edit_distance(K->Name, true, Distance); D < Distance) {
      Nearest = K;
      Distance = D;
    }
  std::string Message = "unknown key";
  if (Nearest)
    return Message + "; did you mean '" + Nearest->Name.str() + "'?";
  Message += ": expected ";
  for (const KeyInfo *K : Keys)
    Message += (K == Keys[0]              ? ""
                : K == std::end(Keys)[-1] ? " or "
                                          : ", ") +
               K->Name.str();
  return Message;
}

std::string optionsHelp(StringRef Prefix) {
  std::string Text;
  raw_string_ostream Out(Text);
  for (const KeyInfo *K : Keys) {
    std::string Left =
        (Prefix + K->Name + (K->Value.empty() ? "" : "=") + K->Value).str();
    Out << "  " << left_justify(Left, 46) << ' ' << K->Help << '\n';
  }
  return Text;
}

std::string applyOption(Options &O, StringRef Key, StringRef Value,
                        bool HasValue) {
  if (Key == EntryKey.Name) {
    std::string Expected;
    auto Spec = parseEntrySpec(Value, Expected);
    if (Spec && Spec->Total == 0)
      O.Entry.reset();
    else if (Spec)
      O.Entry = Spec;
    return Expected;
  }
  if (Key == SlotKey.Name) {
    if (Value != "auto" && Value != "none")
      return "expected auto or none";
    O.SlotAuto = Value == "auto";
    return "";
  }
  if (Key == FilterKey.Name) {
    if (Value.empty())
      return "expected the name of a file";
    O.FilterFiles.push_back(Value.str());
    return "";
  }
  if (Key == ThresholdKey.Name) {
    if (Value.empty() || !all_of(Value, isDigit) ||
        Value.getAsInteger(10, O.Threshold))
      return "expected a number of machine instructions";
    return "";
  }
  for (auto [Switch, On] : {std::pair(&ExitKey, &O.Exit),
                            {&OpaqueKey, &O.Opaque},
                            {&NamesKey, &O.Names},
                            {&HelpKey, &O.Help}})
    if (Key == Switch->Name) {
      *On = true;
      return HasValue ? "takes no value" : "";
    }
  return unknownKey(Key);
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
  O.Exit |= C.Exit;
  Apply("slot", C.Slot, C.Slot.getNumOccurrences());
  Apply("instruction-threshold", C.Threshold, C.Threshold.getNumOccurrences());
  O.Opaque |= C.Opaque;
  O.Names |= C.Names;
  for (const std::string &File : C.Filter)
    Apply("filter", File, true);
  if (Error.empty())
    Error = loadFilters(O, *vfs::getRealFileSystem());
  return Error.empty();
}

} // namespace tp
