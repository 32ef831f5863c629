// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Options.h. A new option needs a member of Options and a row of the table
// below. The row also gives the option's -mllvm spelling.

#include "Options.h"
#include "FilterList.h"
#include "LlvmCompat.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <atomic>

using namespace llvm;

namespace tp {
namespace {

Error setEntry(Options &O, StringRef Value) {
  auto Spec = EntrySpec::parse(Value);
  if (!Spec)
    return Spec.takeError();
  O.Entry = Spec->Total ? std::optional(*Spec) : std::nullopt;
  return Error::success();
}

Error setSlot(Options &O, StringRef Value) {
  if (Value != "auto" && Value != "none")
    return createStringError("expected auto or none");
  O.SlotAuto = Value == "auto";
  return Error::success();
}

Error addFilter(Options &O, StringRef Value) {
  if (Value.empty())
    return createStringError("expected the name of a file");
  O.FilterFiles.push_back(Value.str());
  return Error::success();
}

Error setThreshold(Options &O, StringRef Value) {
  if (Value.empty() || !all_of(Value, isDigit) ||
      Value.getAsInteger(10, O.Threshold))
    return createStringError("expected a number of machine instructions");
  return Error::success();
}

template <bool Options::*Member> Error turnOn(Options &O, StringRef) {
  O.*Member = true;
  return Error::success();
}

struct Option {
  /// The -mllvm spelling. The key is this spelling without "tp-".
  StringLiteral LLVMName;
  /// The name of the value in the help. Empty if the option has no value.
  StringLiteral Value;
  StringLiteral Help;
  Error (*Set)(Options &, StringRef Value);
  enum { ForAll, NotForLLVM, Unlisted } Use = ForAll;

  StringRef key() const { return StringRef(LLVMName).drop_front(3); }
};

constexpr Option Table[] = {
    {"tp-entry", "N[,M]", "entry sleds of N nops, M of them before the label",
     setEntry},
    {"tp-exit", "", "sleds before returns and tail calls",
     turnOn<&Options::Exit>},
    {"tp-slot", "auto|none", "room for a jump before the entry of short sleds",
     setSlot},
    {"tp-filter", "FILE", "special case list with [always] and [never]",
     addFilter},
    {"tp-instruction-threshold", "K",
     "no sled in loop-free functions with fewer machine instructions",
     setThreshold},
    {"tp-opaque", "",
     "hide functions with sleds from their callers' optimisation",
     turnOn<&Options::Opaque>},
    {"tp-names", "", "keep the names of functions with sleds in stripped files",
     turnOn<&Options::Names>},
    {"tp-help", "", "print this list", turnOn<&Options::Help>,
     Option::NotForLLVM},
    // For drivers, which translate -ftp-KEY into clang's spelling of the
    // argument.
    {"tp-short-flags", "", "", turnOn<&Options::ShortFlags>, Option::Unlisted},
};

auto listedOptions() {
  return make_filter_range(
      Table, [](const Option &O) { return O.Use != Option::Unlisted; });
}

/// The -mllvm spelling of one option. Only a list option may be given more than
/// once.
struct LLVMOption {
  explicit LLVMOption(const Option &O) : Of(O) {
    if (O.Value.empty())
      Switch = std::make_unique<cl::opt<bool>>(
          StringRef(O.LLVMName), cl::desc(O.Help), cl::ValueDisallowed);
    else if (O.Set == addFilter)
      List = std::make_unique<cl::list<std::string>>(
          StringRef(O.LLVMName), cl::desc(O.Help), cl::value_desc(O.Value));
    else
      Single = std::make_unique<cl::opt<std::string>>(
          StringRef(O.LLVMName), cl::desc(O.Help), cl::value_desc(O.Value));
  }

  std::vector<std::string> values() const {
    if (List)
      return {List->begin(), List->end()};
    if (Switch)
      return std::vector<std::string>(*Switch ? 1 : 0);
    if (Single->getNumOccurrences())
      return {*Single};
    return {};
  }

  const Option &Of;
  std::unique_ptr<cl::opt<bool>> Switch;
  std::unique_ptr<cl::opt<std::string>> Single;
  std::unique_ptr<cl::list<std::string>> List;
};

/// The options are made at load time, unless another copy of this library has
/// made them: if an option is registered twice, LLVM ends the process. The
/// options are never destroyed, because LLVM's registry keeps pointers to them.
const std::vector<LLVMOption> *TheLLVMOptions =
    []() -> std::vector<LLVMOption> * {
  if (cl::getRegisteredOptions().count("tp-entry"))
    return nullptr;
  auto *All = new std::vector<LLVMOption>;
  for (const Option &O : Table)
    if (O.Use == Option::ForAll)
      All->emplace_back(O);
  return All;
}();

Error unknownKey(StringRef Key) {
  const Option *Nearest = nullptr;
  unsigned Distance = 3; // two letters exchanged are two changes
  for (const Option &O : listedOptions())
    if (unsigned D = Key.edit_distance(O.key(), true, Distance); D < Distance) {
      Nearest = &O;
      Distance = D;
    }
  if (Nearest)
    return createStringError("unknown key; did you mean '" + Nearest->key() +
                             "'?");
  SmallVector<StringRef> Keys;
  for (const Option &O : listedOptions())
    Keys.push_back(O.key());
  StringRef Last = Keys.pop_back_val();
  return createStringError("unknown key: expected " + join(Keys, ", ") +
                           " or " + Last);
}

/// One argument, "KEY" or "KEY=VALUE". The error says what was expected.
Error applyArgument(Options &O, StringRef Argument) {
  auto [Key, Value] = Argument.split('=');
  for (const Option &Known : Table) {
    if (Known.key() != Key)
      continue;
    if (Known.Value.empty() && Argument.contains('='))
      return createStringError("takes no value");
    return Known.Set(O, Value);
  }
  return unknownKey(Key);
}

} // namespace

bool isFirstCopy() { return TheLLVMOptions != nullptr; }

bool claimFrontend() {
  static std::atomic<bool> Claimed{false};
  return isFirstCopy() && !Claimed.exchange(true);
}

std::string optionsHelp(StringRef Prefix) {
  std::string Text;
  raw_string_ostream Out(Text);
  for (const Option &O : listedOptions()) {
    std::string Left =
        (Prefix + O.key() + (O.Value.empty() ? "" : "=") + O.Value).str();
    Out << "  " << left_justify(Left, 46) << ' ' << O.Help << '\n';
  }
  return Text;
}

Error applyArguments(Options &O, ArrayRef<std::string> Arguments) {
  // This argument is handled first, so that messages about the others use the
  // right spelling.
  O.ShortFlags |= is_contained(Arguments, "short-flags");
  for (const std::string &Argument : Arguments)
    if (Error E = applyArgument(O, Argument))
      return createStringError("invalid argument '" + O.flagPrefix() +
                               Argument + "': " + toString(std::move(E)));
  if (O.Help)
    outs() << "Settings of tp, for this compilation:\n"
           << optionsHelp(O.flagPrefix());
  return Error::success();
}

Error applyCommandLine(Options &O) {
  if (!TheLLVMOptions)
    return Error::success();
  for (const LLVMOption &Given : *TheLLVMOptions)
    for (const std::string &Value : Given.values())
      if (Error E = Given.Of.Set(O, Value))
        return createStringError("invalid value '" + Twine(Value) + "' in '-" +
                                 Given.Of.LLVMName + "=" + Value +
                                 "': " + toString(std::move(E)));
  return Error::success();
}

Error loadFilters(Options &O, vfs::FileSystem &FS) {
  if (O.FilterFiles.empty())
    return Error::success();
  auto Filter = FilterList::load(O.FilterFiles, FS);
  if (!Filter)
    return Filter.takeError();
  O.Filter = std::move(*Filter);
  return Error::success();
}

} // namespace tp
