// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tp-select: the command line and the main steps. The tool reads every
// translation unit, -j of them at a time, and then writes one list or filter
// file.

#include "Commands.h"
#include "Config.h"
#include "Options.h"
#include "Output.h"
#include "Progress.h"
#include "UnitScan.h"

#include "clang/Basic/Version.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Support/WithColor.h"
#include <csignal>
#include <map>

using namespace llvm;
using namespace tp;

namespace {

/// Documented in docs/reference/select.md and the manual page.
enum ExitCode { Success = 0, Failure = 1, Incomplete = 2 };

cl::OptionCategory What("Which translation units");
cl::OptionCategory
    Which("Which functions (all of the given criteria must hold)");
cl::OptionCategory How("Flags and output");

cl::list<std::string> Sources(cl::Positional, cl::desc("[<source>...]"),
                              cl::cat(What));
cl::opt<std::string> BuildPath(
    "p",
    cl::desc("Folder with compile_commands.json; without it,\nthe first "
             "source's folder and those above it\nare searched"),
    cl::value_desc("build-path"), cl::cat(What));
cl::list<std::string> ExtraArg("extra-arg",
                               cl::desc("Compile flag to append everywhere"),
                               cl::value_desc("flag"), cl::cat(What));
cl::list<std::string>
    ExtraArgBefore("extra-arg-before",
                   cl::desc("Compile flag to put in front everywhere"),
                   cl::value_desc("flag"), cl::cat(What));
cl::opt<unsigned>
    Jobs("j", cl::Prefix,
         cl::desc("Units to read at a time (default: one for\neach "
                  "processor)"),
         cl::value_desc("N"), cl::init(0), cl::cat(What));

cl::list<std::string> Matchers(
    "matcher",
    cl::desc("AST matcher of functions, as in clang-query;\ngiven more "
             "than once, one of them must match"),
    cl::value_desc("expression"), cl::cat(Which));
cl::alias MatcherShort("m", cl::desc("Short for -matcher"),
                       cl::aliasopt(Matchers), cl::cat(Which));
cl::list<std::string> Files("in", cl::desc("The function is in such a file"),
                            cl::value_desc("glob"), cl::cat(Which));
cl::opt<unsigned> MinStatements("min-statements", cl::desc("At least N"),
                                cl::value_desc("N"), cl::cat(Which));
cl::opt<unsigned> MaxStatements("max-statements", cl::desc("At most N"),
                                cl::value_desc("N"), cl::cat(Which));
cl::opt<unsigned> MinLoops("min-loops", cl::desc("At least N"),
                           cl::value_desc("N"), cl::cat(Which));
cl::opt<unsigned> MaxLoops("max-loops", cl::desc("At most N"),
                           cl::value_desc("N"), cl::cat(Which));
cl::opt<unsigned> MinCalls("min-calls", cl::desc("At least N"),
                           cl::value_desc("N"), cl::cat(Which));
cl::opt<unsigned> MaxCalls("max-calls", cl::desc("At most N"),
                           cl::value_desc("N"), cl::cat(Which));
cl::opt<bool> Virtual("virtual", cl::desc("Virtual methods only"),
                      cl::cat(Which));

cl::list<std::string>
    TpFlags("ftp-", cl::Prefix,
            cl::desc("A flag of the compiler part, as in\n-ftp-entry=2,0 or "
                     "-ftp-filter=FILE, after\nthose of the build"),
            cl::value_desc("KEY[=VALUE]"), cl::cat(How));
enum class Section { None, Always, Never };
cl::opt<Section>
    Write("write",
          cl::desc("Write a filter file for -ftp-filter that\nnames the "
                   "chosen functions, instead of\nthe list:"),
          cl::values(clEnumValN(Section::Always, "always", "under [always]"),
                     clEnumValN(Section::Never, "never", "under [never]")),
          cl::init(Section::None), cl::cat(How));
enum class Format { Text, Json };
cl::opt<Format>
    OutputFormat("format", cl::desc("Format of the list:"),
                 cl::values(clEnumValN(Format::Text, "text",
                                       "a line per function (default)"),
                            clEnumValN(Format::Json, "json",
                                       "see docs/reference/select.md")),
                 cl::init(Format::Text), cl::cat(How));
cl::opt<std::string> OutputPath("o", cl::desc("Output file"),
                                cl::value_desc("file"), cl::init("-"),
                                cl::cat(How));
cl::opt<cl::boolOrDefault>
    ShowProgress("progress",
                 cl::desc("Show the progress (default: on a terminal,\nafter a "
                          "second)"),
                 cl::cat(How));

const char Overview[] =
    "tp-select: which functions get sleds, and why\n"
    "\n"
    "  tp-select -p build -ftp-entry=2,0              lists every function\n"
    "  tp-select a.c -ftp-filter=never.txt -- -O2     the same for one file\n"
    "  tp-select -p build -write=never -max-statements=2 -max-loops=0 -o "
    "small.txt\n"
    "  tp-select -p build -write=always -o io.txt \\\n"
    "      -m 'functionDecl(hasDescendant(callExpr(callee(\n"
    "            functionDecl(hasName(\"read\"))))))'\n";

const char Epilogue[] =
    "\nExit status: 0 success; 1 nothing written: bad usage, no compile "
    "commands,\nor the output could not be written; 2 written, but some units "
    "have errors and\nwhat they define is missing.\n";

int fail(const Twine &Message) {
  WithColor::error(errs(), "tp-select") << Message << '\n';
  return Failure;
}

Error setBounds(Bounds &B, const cl::opt<unsigned> &Min,
                const cl::opt<unsigned> &Max) {
  if (Min.getNumOccurrences())
    B.Min = Min;
  if (Max.getNumOccurrences())
    B.Max = Max;
  if (B.Min > B.Max)
    return createStringError("-" + Min.ArgStr + "=" + Twine(B.Min) +
                             " is more than -" + Max.ArgStr + "=" +
                             Twine(B.Max) + ": no function can be chosen");
  return Error::success();
}

Expected<Criteria> criteriaFromCommandLine() {
  Criteria C;
  C.Matchers.assign(Matchers.begin(), Matchers.end());
  C.Virtual = Virtual;
  for (const std::string &Text : Files) {
    auto Glob = GlobPattern::create(Text, /*MaxSubPatterns=*/1024);
    if (!Glob)
      return createStringError("-in=" + Text + ": " +
                               toString(Glob.takeError()));
    C.Files.push_back(std::move(*Glob));
  }
  if (Error E = setBounds(C.Statements, MinStatements, MaxStatements))
    return E;
  if (Error E = setBounds(C.Loops, MinLoops, MaxLoops))
    return E;
  if (Error E = setBounds(C.Calls, MinCalls, MaxCalls))
    return E;
  if (Error E = C.check())
    return E;

  raw_string_ostream Text(C.Text);
  for (const std::string &M : Matchers)
    Text << " -matcher='" << join(split(M, '\n'), " ") << "'";
  for (const std::string &F : Files)
    Text << " -in='" << F << "'";
  for (const auto *O : {&MinStatements, &MaxStatements, &MinLoops, &MaxLoops,
                        &MinCalls, &MaxCalls})
    if (O->getNumOccurrences())
      Text << " -" << O->ArgStr << '=' << *O;
  if (Virtual)
    Text << " -virtual";
  return C;
}

/// The flags of the command line. Faults in the flags are reported here once,
/// and not again for each unit. The paths of filter files are made absolute,
/// because units are read in other folders.
Expected<std::vector<std::string>> flagsFromCommandLine() {
  std::vector<std::string> Result;
  Options Checked;
  Checked.ShortFlags = true;
  const std::vector<std::string> Given(TpFlags.begin(), TpFlags.end());
  if (Error E = applyArguments(Checked, Given))
    return E;
  if (Error E = loadFilters(Checked, *vfs::getRealFileSystem()))
    return createStringError("'-ftp-filter': " + toString(std::move(E)));
  for (StringRef Flag : Given) {
    StringRef Path = Flag;
    if (!Path.consume_front("filter=")) {
      Result.push_back(Flag.str());
      continue;
    }
    SmallString<256> Full(Path);
    sys::fs::make_absolute(Full);
    Result.push_back(("filter=" + Full).str());
  }
  return Result;
}

auto key(const FunctionInfo &F) {
  return std::tie(F.File, F.Line, F.Column, F.Name, F.Why);
}

/// Merges equal functions of several units into one entry.
Results combine(std::vector<UnitResult> Units) {
  Results R;
  R.UnitCount = Units.size();
  std::vector<FunctionInfo> Chosen;
  for (UnitResult &U : Units)
    for (FunctionInfo &F : U.Functions)
      (F.IsChosen ? Chosen : R.Others).push_back(std::move(F));
  stable_sort(Chosen,
              [](const auto &A, const auto &B) { return key(A) < key(B); });
  for (FunctionInfo &F : Chosen) {
    if (R.Entries.empty() || key(R.Entries.back().Function) != key(F))
      R.Entries.push_back({F, {}});
    auto &In = R.Entries.back().Units;
    if (In.empty() || In.back() != F.Unit)
      In.push_back(F.Unit);
  }
  return R;
}

std::vector<UnitResult>
scanAll(const std::vector<clang::tooling::CompileCommand> &Commands,
        const Criteria &Wanted) {
  std::vector<UnitResult> Units(Commands.size());
  Progress Shown(Commands.size(),
                 ShowProgress == cl::BOU_TRUE    ? Progress::Always
                 : ShowProgress == cl::BOU_FALSE ? Progress::Never
                                                 : Progress::Auto);
  DefaultThreadPool Pool(hardware_concurrency(Jobs));
  for (size_t I = 0; I != Commands.size(); ++I)
    Pool.async([&, I] {
      Units[I] = scanUnit(Commands[I], Wanted);
      Shown.finished(Commands[I].Filename);
    });
  Pool.wait();
  return Units;
}

std::string render(const Results &R, const Criteria &Wanted) {
  std::string Text;
  raw_string_ostream OS(Text);
  if (Write != Section::None)
    writeFilter(OS, R, Write == Section::Always ? "always" : "never",
                Wanted.Text);
  else if (OutputFormat == Format::Json)
    writeJson(OS, R);
  else
    writeText(OS, R);
  return Text;
}

Error checkUsage(const Criteria &Wanted) {
  if (Write == Section::None)
    return Error::success();
  if (OutputFormat.getNumOccurrences())
    return createStringError("-format is for the list: the filter file of "
                             "-write has only one format");
  if (!Wanted.any())
    return createStringError(
        "-write without a criterion would name every function: give "
        "-matcher, -in, -virtual or a measure");
  return Error::success();
}

/// The entries of filter files that match no function of any unit.
std::vector<FilterList::Entry>
unmatchedEntries(const std::vector<UnitResult> &Units) {
  std::map<std::pair<std::string, unsigned>, FilterList::Entry> All;
  for (const UnitResult &U : Units)
    for (const FilterList::Entry &E : U.FilterEntries)
      All.try_emplace({E.File, E.Line}, E).first->second.Matched |= E.Matched;
  std::vector<FilterList::Entry> Result;
  for (auto &[Where, E] : All)
    if (!E.Matched)
      Result.push_back(std::move(E));
  return Result;
}

/// Reads the units, prints their errors, and collects the functions that they
/// define.
Results readUnits(const std::vector<clang::tooling::CompileCommand> &Commands,
                  const Criteria &Wanted) {
  std::vector<UnitResult> Units = scanAll(Commands, Wanted);
  std::vector<std::string> Failed;
  for (size_t I = 0; I != Units.size(); ++I) {
    errs() << Units[I].Diagnostics;
    if (Units[I].Failed)
      Failed.push_back(
          displayPath(Commands[I].Filename, Commands[I].Directory));
  }
  auto Unmatched = unmatchedEntries(Units);
  Results R = combine(std::move(Units));
  R.Failed = std::move(Failed);
  R.Unmatched = std::move(Unmatched);
  return R;
}

void warn(const Twine &Message) {
  WithColor::warning(errs(), "tp-select") << Message << '\n';
}

/// Reports facts that the output does not show. Returns the exit code.
int reportGaps(const Results &R) {
  if (Write != Section::None)
    for (const std::string &Message : findAmbiguities(R))
      warn(Message);
  if (R.Entries.empty() && R.Failed.empty())
    warn(R.Others.empty() ? "the units define no function"
                          : "no function meets the criteria; there are " +
                                std::to_string(R.Others.size()));
  if (R.Failed.empty())
    for (const FilterList::Entry &E : R.Unmatched)
      warn(E.File + ":" + Twine(E.Line) + ": '" + E.Text +
           "' matches no function of the " + Twine(R.UnitCount) +
           " translation unit" + (R.UnitCount == 1 ? "" : "s"));
  if (R.Failed.empty())
    return Success;
  WithColor::error(errs(), "tp-select")
      << R.Failed.size() << " of " << R.UnitCount
      << " translation units have errors; what they define is missing\n";
  return Incomplete;
}

int run(CommandOptions &O) {
  auto Wanted = criteriaFromCommandLine();
  if (!Wanted)
    return fail(toString(Wanted.takeError()));
  if (Error E = checkUsage(*Wanted))
    return fail(toString(std::move(E)));
  if (is_contained(TpFlags, "help")) {
    outs() << "Flags of the compiler part:\n" << optionsHelp("-ftp-");
    return Success;
  }
  auto Flags = flagsFromCommandLine();
  if (!Flags)
    return fail(toString(Flags.takeError()));
  O.TpFlags = std::move(*Flags);
  auto Commands = findCommands(O);
  if (!Commands)
    return fail(toString(Commands.takeError()));

  Results R = readUnits(*Commands, *Wanted);
  if (Error E = writeFile(OutputPath, render(R, *Wanted)))
    return fail(toString(std::move(E)));
  return reportGaps(R);
}

/// Turns the short flags after `--` into clang's, because clang's parser reads
/// those arguments. Returns the strings that the new arguments point to.
std::vector<std::string> useLongFlagsAfterDashes(int Count, const char **Args) {
  std::vector<std::string> Texts;
  Texts.reserve(static_cast<size_t>(Count));
  const char **End = Args + Count;
  for (const char **Arg = std::find(Args, End, StringRef("--")); Arg != End;
       ++Arg)
    if (StringRef Key = *Arg; Key.consume_front("-ftp-"))
      *Arg = Texts.emplace_back(("-fplugin-arg-tp-" + Key).str()).c_str();
  return Texts;
}

} // namespace

int main(int Argc, const char **Argv) {
  InitLLVM Init(Argc, Argv);
  // If a file exceeds the size limit, the write must fail. The signal SIGXFSZ
  // must not end the tool.
  std::signal(SIGXFSZ, SIG_IGN);
  // Inline assembly needs these parsers.
  InitializeAllTargetInfos();
  InitializeAllTargetMCs();
  InitializeAllAsmParsers();

  CommandOptions O;
  std::string Message;
  std::vector<std::string> LongFlags = useLongFlagsAfterDashes(Argc, Argv);
  O.Fixed = clang::tooling::FixedCompilationDatabase::loadFromCommandLine(
      Argc, Argv, Message);
  if (!Message.empty())
    return fail(Message);
  cl::HideUnrelatedOptions({&What, &Which, &How});
  // LLVM's own text for this line would be longer than 80 columns.
  cl::getRegisteredOptions()["help-list"]->setDescription(
      "Display list of available options");
  cl::SetVersionPrinter([](raw_ostream &OS) {
    OS << "tp-select (tp " TP_VERSION "), " << clang::getClangFullVersion()
       << '\n';
  });
  cl::extrahelp Help(Epilogue);
  cl::ParseCommandLineOptions(Argc, Argv, Overview);
  O.BuildPath = BuildPath;
  O.Sources.assign(Sources.begin(), Sources.end());
  O.Extra.assign(ExtraArg.begin(), ExtraArg.end());
  O.ExtraBefore.assign(ExtraArgBefore.begin(), ExtraArgBefore.end());
  return run(O);
}
