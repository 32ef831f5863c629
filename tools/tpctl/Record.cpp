// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tpctl record: runs a command and records it. libtprt does the recording, as
// TPRT_OPTIONS asks; tpctl sets the variable, waits, and says what came of it.

#include "Cuts.h"
#include "Launch.h"
#include "Output.h"
#include "Pack.h"
#include "Verb.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstring>

using namespace llvm;
using namespace tp::trace;
using namespace tpctl;

namespace {

struct Options {
  ArrayRef<char *> Command;
  std::vector<std::string> Patterns;
  std::string Path, Mode, Size, Strings;
  unsigned Arguments = 0;
  bool Results = false, Compress = false, Quiet = false;
};

/// The recordings of a run, with how many events they have in all.
struct Outcome {
  std::vector<std::string> Files;
  uint64_t Events = 0, Lost = 0, Bytes = 0;
};

/// A value of TPRT_OPTIONS, which cannot hold both kinds of quotes.
Expected<std::string> optionValue(StringRef Text) {
  char Quote = Text.contains('\'') ? '"' : '\'';
  if (Text.contains(Quote))
    return createStringError("'" + Text + "' has both kinds of quotes");
  return (Twine(Quote) + Text + Twine(Quote)).str();
}

/// The file's name as the recorder reads it. It is absolute, as a child may
/// have another folder.
Expected<std::string> fileOption(const std::string &Path) {
  if (StringRef(Path).contains(':'))
    return createStringError("'" + Path +
                             "' has a colon: choose another name by -o");
  std::string Text;
  for (char C : Path)
    Text += C == '%' ? "%%" : std::string(1, C);
  return Text;
}

Expected<std::string> optionsText(const Options &O) {
  auto File = fileOption(O.Path);
  if (!File)
    return File.takeError();
  std::string Text;
  if (const char *Others = getenv("TPRT_OPTIONS"); Others && *Others)
    Text = std::string(Others) + " ";
  std::vector<std::string> Patterns = O.Patterns;
  if (none_of(Patterns, [](StringRef P) { return !P.starts_with("!"); }))
    Patterns.push_back("*");
  for (StringRef Pattern : Patterns) {
    bool Not = Pattern.consume_front("!");
    auto Value = optionValue(Not ? Pattern.str() : *File + ":" + Pattern.str());
    if (!Value)
      return Value.takeError();
    Text += (Not ? "not=" : "record=") + *Value + " ";
  }
  Text += "mode=" + O.Mode;
  if (!O.Size.empty())
    Text += " size=" + O.Size;
  if (O.Arguments)
    Text += " args=" + std::to_string(O.Arguments);
  if (O.Results)
    Text += " results=1";
  if (!O.Strings.empty())
    Text += " strings=" + O.Strings;
  return Text;
}

/// The file, and those of processes that could not share it: FILE.PID.
std::vector<std::string> filesOf(const std::string &Path,
                                 sys::TimePoint<> Since) {
  std::vector<std::string> Files;
  std::error_code Code;
  std::string Name = sys::path::filename(Path).str();
  for (sys::fs::directory_iterator It(sys::path::parent_path(Path), Code), End;
       It != End && !Code; It.increment(Code)) {
    StringRef Rest = sys::path::filename(It->path());
    if (!Rest.consume_front(Name))
      continue;
    bool OfProcess = Rest.consume_front(".") && !Rest.empty() &&
                     all_of(Rest, [](char C) { return isdigit(C); });
    sys::fs::file_status Status;
    if ((Rest.empty() || OfProcess) && !sys::fs::status(It->path(), Status) &&
        Status.getLastModificationTime() >= Since)
      Files.push_back(It->path());
  }
  llvm::sort(Files);
  return Files;
}

Error count(const std::string &Path, Outcome &To) {
  auto R = Recording::open(Path);
  if (!R)
    return R.takeError();
  auto Sum = countEvents(**R);
  if (!Sum)
    return Sum.takeError();
  To.Events += Sum->Events;
  To.Lost += Sum->Lost;
  To.Bytes += (*R)->file().bytes();
  return Error::success();
}

std::string sizeText(uint64_t Bytes) {
  return Bytes < 1'000'000
             ? formatv("{0} kB", (Bytes + 999) / 1000).str()
             : formatv("{0:f1} MB", static_cast<double>(Bytes) / 1e6).str();
}

void tell(const Options &O, const Outcome &Of, double Nanoseconds) {
  if (Of.Files.empty())
    return note("nothing was recorded: no function matches, or '" +
                Twine(O.Command[0]) +
                "' has no sleds (built with tp-clang -ftp-entry=2,0 "
                "-ftp-exit?), is static, or did not run");
  std::string Names = Of.Files.front();
  if (Of.Files.size() > 1)
    Names += " " + Of.Files.front() + ".*";
  errs() << formatv("tpctl: {0:n} events, {1}, {2} in {3}; next: tpctl report ",
                    Of.Events,
                    Of.Lost ? formatv("{0:n} lost", Of.Lost).str()
                            : "none lost",
                    sizeText(Of.Bytes), timeText(Nanoseconds))
         << Names << '\n';
}

Expected<ExitCode> record(Options &O) {
  if (O.Command.empty())
    return createStringError("no command: tpctl record [options] PATTERN... "
                             "-- COMMAND...");
  SmallString<128> Whole(O.Path.empty()
                             ? (sys::path::filename(O.Command[0]) + ".tp").str()
                             : O.Path);
  sys::fs::make_absolute(Whole);
  O.Path = std::string(Whole);
  auto Text = optionsText(O);
  if (!Text)
    return Text.takeError();
  if (Error E = preloadRuntime(O.Command[0]))
    return E;
  setenv("TPRT_OPTIONS", Text->c_str(), 1);
  // File systems keep times less exactly than clocks do.
  auto Begin = std::chrono::system_clock::now();
  auto End = runCommand(O.Command);
  if (!End)
    return End.takeError();
  auto Passed = std::chrono::system_clock::now() - Begin;
  Outcome Of;
  Of.Files = filesOf(O.Path, Begin - std::chrono::milliseconds(20));
  for (const std::string &File : Of.Files) {
    if (O.Compress)
      if (auto Sizes = packRecording(File, File, PackLevel); !Sizes)
        return Sizes.takeError();
    if (Error E = count(File, Of))
      return E;
  }
  if (End->Signal)
    note("'" + Twine(O.Command[0]) +
         "' was ended by a signal: " + strsignal(End->Signal));
  if (!O.Quiet)
    tell(O, Of,
         static_cast<double>(
             std::chrono::duration_cast<std::chrono::nanoseconds>(Passed)
                 .count()));
  return static_cast<ExitCode>(End->Code);
}

} // namespace

void tpctl::addRecord(CLI::App &Top, Action &Chosen, ArrayRef<char *> Command) {
  auto O = std::make_shared<Options>();
  O->Command = Command;
  O->Mode = "all";
  CLI::App &Verb =
      *Top.add_subcommand("record", "run -- COMMAND... and record it");
  Verb.add_option("PATTERN", O->Patterns,
                  "functions and points, as globs; !GLOB: not these;\n"
                  "everything if not given")
      ->type_name("");
  Verb.add_option("-o", O->Path, "recording; COMMAND.tp if not given")
      ->option_text("FILE");
  Verb.add_option("--mode", O->Mode, "all, newest or full; all if not given")
      ->check(CLI::IsMember({"all", "newest", "full"}))
      ->option_text("MODE");
  Verb.add_option("--size", O->Size, "bytes of the recording, as in 64M, 2G")
      ->option_text("N");
  Verb.add_option("--args", O->Arguments,
                  "record the first N integer arguments")
      ->check(CLI::Range(0, 8))
      ->option_text("N");
  Verb.add_flag("--results", O->Results, "record integer results");
  Verb.add_option("--strings", O->Strings,
                  "these arguments are strings, as in 1+3; 1 is first")
      ->option_text("N+N");
  Verb.add_flag("--compress", O->Compress, "pack the recording at the end");
  Verb.add_flag("-q,--quiet", O->Quiet, "no line at the end");
  Verb.callback([O, &Chosen] { Chosen = [O] { return record(*O); }; });
}
