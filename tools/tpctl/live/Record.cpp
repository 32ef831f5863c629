// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tpctl record: runs a command and records it, or records a process that runs;
// tpctl snapshot: copies the recording of a process. libtprt does the
// recording, as TPRT_OPTIONS or the process's control asks; tpctl waits, and
// says what came of it.

#include "Cuts.h"
#include "Discovery.h"
#include "Flight.h"
#include "Patterns.h"
#include "Recorder.h"
#include "Target.h"
#include "shared/Launch.h"
#include "shared/Output.h"
#include "shared/Pack.h"
#include "shared/Processes.h"
#include "shared/Usage.h"
#include "shared/Verb.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstring>
#include <ctime>
#include <unistd.h>

using namespace llvm;
using namespace tp::trace;
using namespace tpctl;

namespace {

struct Options : RecorderOptions {
  explicit Options(ArrayRef<char *> Command) : Command(Command), At(Command) {}
  ArrayRef<char *> Command;
  Target At; ///< for a process that runs, or --when
  FlightOptions Flight;
  bool Live = false, Compress = false, Quiet = false;
  std::string Why; ///< nothing was recorded; empty: it is not known
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

/// The globs as TPRT_OPTIONS has them. Where a regular expression leaves
/// something out, the program cannot tell what they take.
Error addGlobs(const Options &O, StringRef File, std::string &Text) {
  constexpr unsigned Most = 32; // as libtprt has it
  unsigned Takes = 0, Nots = 0;
  auto add = [&](StringRef Option, const Twine &What) -> Error {
    auto Value = optionValue(What.str());
    if (!Value)
      return Value.takeError();
    Text += (Option + "=" + *Value + " ").str();
    return Error::success();
  };
  for (StringRef Glob : O.Chosen.globs()) {
    if (O.Chosen.leavesByRegex())
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
    return createStringError(
        "a command is given at most 32 globs, and 32 of the form !GLOB: join "
        "some to a /regex/, or record the process that runs (-p PID)");
  return Error::success();
}

Expected<std::string> optionsText(const Options &O) {
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
  if (O.Chosen.hasRegexes())
    Text += " control=" + std::to_string(getpid());
  if (O.At.wantsSignals())
    Text += " signals=1";
  if (!O.Strings.empty())
    Text += " strings=" + O.Strings;
  constexpr size_t Most = 4095; // as libtprt has it
  if (Text.size() > Most)
    return createStringError(
        "TPRT_OPTIONS, by which a command is given the patterns, would have " +
        Twine(Text.size()) +
        " bytes, and takes 4,095: join globs to a /regex/, or record the "
        "process that runs (-p PID)");
  return Text;
}

/// Nanoseconds of CLOCK_MONOTONIC, which recordings carry.
uint64_t monotonicNow() {
  timespec Now{};
  clock_gettime(CLOCK_MONOTONIC, &Now);
  return static_cast<uint64_t>(Now.tv_sec) * 1'000'000'000 +
         static_cast<uint64_t>(Now.tv_nsec);
}

/// Whether the file is a recording that began at this time or later. What is
/// none is a reader's to complain of, if it was written since.
bool beganSince(const std::string &Path, uint64_t Monotonic,
                sys::TimePoint<> Since) {
  auto R = Recording::open(Path);
  if (R)
    return (*R)->header().start.monotonic >= Monotonic;
  consumeError(R.takeError());
  sys::fs::file_status Status;
  return !sys::fs::status(Path, Status) &&
         Status.getLastModificationTime() >= Since;
}

/// The file, and those of processes that could not share it: FILE.PID.
std::vector<std::string> filesOf(const std::string &Path, uint64_t Monotonic,
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
    if ((Rest.empty() || OfProcess) && beganSince(It->path(), Monotonic, Since))
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
  if (Of.Files.empty() && !O.Why.empty())
    return note("nothing was recorded: " + O.Why);
  if (Of.Files.empty())
    return note("nothing was recorded: no function matches, or '" +
                Twine(O.Command[0]) + "' " +
                (O.Chosen.takesCode() ? ""
                                      : "has no sleds (built with tp-clang "
                                        "-ftp-entry=2,0 -ftp-exit?), ") +
                "is static, or did not run");
  std::string Names = shellPath(Of.Files.front());
  if (Of.Files.size() > 1)
    Names += " " + Names + ".*";
  errs() << formatv("tpctl: {0:n} events, {1}, {2} in {3}; next: tpctl report ",
                    Of.Events,
                    Of.Lost ? formatv("{0:n} lost", Of.Lost).str()
                            : "none lost",
                    sizeText(Of.Bytes), timeText(Nanoseconds))
         << Names << '\n';
}

std::string absolute(StringRef Path) {
  SmallString<128> Whole(Path);
  sys::fs::make_absolute(Whole);
  return std::string(Whole);
}

/// The command would run to its end, and leave no recording.
Error checkFolder(StringRef Path) {
  if (std::error_code Code = sys::fs::access(sys::path::parent_path(Path),
                                             sys::fs::AccessMode::Exist))
    return createStringError("cannot record to '" + Path +
                             "': " + Code.message());
  return Error::success();
}

/// Why a file that is not there could not be made, if the place tells.
Error checkPlace(const std::string &Path) {
  if (Error E = checkFolder(Path))
    return E;
  std::string Folder = sys::path::parent_path(Path).str();
  if (access(Folder.c_str(), W_OK) != 0)
    return createStringError("nothing was recorded: cannot write in '" +
                             Folder + "': " + strerror(errno));
  auto Space = sys::fs::disk_space(Folder);
  constexpr uint64_t Least = 1 << 20;
  if (Space && Space->available < Least)
    return createStringError("nothing was recorded: no space is left in '" +
                             Folder + "'");
  return Error::success();
}

/// Packs and counts the recordings, and prints the last line.
Expected<ExitCode> conclude(const Options &O, Outcome &Of, double Nanoseconds,
                            ExitCode Code) {
  for (const std::string &File : Of.Files) {
    if (O.Compress)
      if (auto Sizes = packRecording(File, File, PackLevel); !Sizes)
        return Sizes.takeError();
    if (Error E = count(File, Of))
      return E;
  }
  if (!O.Quiet)
    tell(O, Of, Nanoseconds);
  return Code;
}

/// Waits until the process ends, --for has passed, or Ctrl-C is pressed.
Error await(Target &At, Recorder &Taken) {
  Connection &C = *At.Connections[0];
  while (!C.hasEnded() &&
         At.sleepUntil(Target::Clock::now() + std::chrono::milliseconds(50)))
    if (auto Later = Taken.addLater(); !Later && !C.hasEnded())
      return Later.takeError();
    else if (!Later)
      consumeError(Later.takeError());
  return Error::success();
}

/// Adds what regular expressions take to the recording of a command, which
/// TPRT_OPTIONS has begun. Each program that the command's process becomes by
/// exec is joined anew.
class Joining {
public:
  explicit Joining(const RecorderOptions &O) : O(O) {}
  /// To be called again and again; returns when next. Nothing that fails here
  /// ends the recording.
  std::chrono::milliseconds look(pid_t Command);
  /// Why the last program gave nothing, if that is known.
  const std::string &why() const { return Why; }

private:
  Error lookOnce(pid_t Command);
  const RecorderOptions &O;
  std::unique_ptr<Connection> C;
  std::optional<Recorder> Taken;
  std::string Why;
  unsigned Looks = 0; ///< for a program that is not joined yet
};

Error Joining::lookOnce(pid_t Command) {
  if (Taken && !C->isClosed())
    return Taken->addLater().takeError();
  Taken.reset();
  C.reset();
  auto Path = findSocket(Command);
  if (!Path || !*Path) // it has not begun, or has ended
    return consumeError(Path.takeError()), Error::success();
  auto Opened = Connection::open(Command, /*Flags=*/0);
  if (!Opened)
    return Opened.takeError();
  C = std::move(*Opened);
  Looks = 0;
  auto Found = Taken.emplace(*C, O).join();
  C->goOn();
  return Found.takeError();
}

std::chrono::milliseconds Joining::look(pid_t Command) {
  if (Error E = lookOnce(Command))
    if ((E = handleErrors(std::move(E), [](const ProcessEnded &) {})))
      Why = toString(std::move(E));
  // A program waits before main() until it was joined.
  constexpr unsigned Soon = 1000;
  return std::chrono::milliseconds(!Taken && ++Looks < Soon ? 2 : 20);
}

/// A file with this name may be another one for tpctl.
ExitCode tellElsewhere(const Connection &C, StringRef Path) {
  note(C.name() + " has files of its own, and has written there: '" + Path +
       "' (while it runs: " + procPath(C.pid(), "root" + Path) + ")");
  return Done;
}

Expected<ExitCode> recordProcess(Options &O) {
  if (Error E = O.At.prepare(/*AwaitAtEnd=*/false))
    return E;
  if (O.At.Connections.size() != 1)
    return createStringError("a recording is of one process: give one -p PID");
  Connection &C = *O.At.Connections[0];
  StringRef Name = StringRef(C.name()).split(" (").first;
  O.Path = absolute(O.Path.empty() ? Name.str() + ".tp" : O.Path);
  auto File = fileOption(O.Path);
  if (!File)
    return File.takeError();
  std::string Whole = std::exchange(O.Path, *File);
  bool Here = seesSameFiles(C.pid());
  if (!Here && O.Compress)
    return createStringError(C.name() + " has files of its own: record without "
                                        "--compress, and pack the copy");
  auto Begin = Target::Clock::now();
  Recorder Taken(C, O);
  auto Made = Taken.start();
  O.Path = Whole;
  if (!Made)
    return Made.takeError();
  if (Error E = await(O.At, Taken))
    return E;
  bool Ended = C.hasEnded();
  if (Error E = stopRecording(C)) {
    if (!Ended && !C.hasEnded())
      return E;
    consumeError(std::move(E)); // the file is whole up to the end
  }
  if (!Here)
    return tellElsewhere(C, *Made);
  Outcome Of;
  Of.Files.push_back(*Made);
  std::chrono::duration<double, std::nano> Passed =
      Target::Clock::now() - Begin;
  return conclude(O, Of, Passed.count(), Done);
}

/// --flight without --when is a ring that is kept at the end.
Expected<bool> wantsFlight(Options &O, bool Shapes) {
  if (O.Flight.When.empty()) {
    if (Shapes)
      return createStringError("--before, --after and --count go with --when");
    if (!O.Flight.Size.empty()) {
      O.Mode = "newest";
      O.Size = O.Flight.Size;
    }
    return false;
  }
  if (!O.Size.empty() || O.Mode != "all")
    return createStringError("--when records into a ring: give its size by "
                             "--flight, not --size or --mode");
  if (O.Flight.Size.empty())
    O.Flight.Size = "64M";
  return true;
}

Expected<ExitCode> record(Options &O, bool Shapes) {
  if (Error E = O.Chosen.prepare())
    return E;
  auto Flies = wantsFlight(O, Shapes);
  if (!Flies)
    return Flies.takeError();
  if (*Flies)
    return recordFlight(O.Flight, O, O.At, O.Compress);
  if (O.Live)
    return recordProcess(O);
  if (O.Command.empty())
    return createStringError("no command: tpctl record [options] PATTERN... "
                             "-- COMMAND..., or -p PID");
  if (O.At.hasEnd())
    return createStringError("--for is for a process that runs (-p PID); a "
                             "command is recorded until it ends");
  O.Path = absolute(O.Path.empty()
                        ? (sys::path::filename(O.Command[0]) + ".tp").str()
                        : O.Path);
  if (Error E = checkFolder(O.Path))
    return E;
  auto Text = optionsText(O);
  if (!Text)
    return Text.takeError();
  if (Error E = preloadRuntime(O.Command[0]))
    return E;
  setenv("TPRT_OPTIONS", Text->c_str(), 1);
  auto Begin = std::chrono::system_clock::now();
  uint64_t Monotonic = monotonicNow();
  Joining Regexes(O);
  auto Look = [&](pid_t Command) { return Regexes.look(Command); };
  auto End = O.Chosen.hasRegexes() ? runCommand(O.Command, Look)
                                   : runCommand(O.Command);
  if (!End)
    return End.takeError();
  auto Passed = std::chrono::system_clock::now() - Begin;
  O.Why = Regexes.why();
  Outcome Of;
  Of.Files = filesOf(O.Path, Monotonic, Begin);
  if (End->Signal)
    note("'" + Twine(O.Command[0]) +
         "' was ended by a signal: " + strsignal(End->Signal));
  if (Of.Files.empty())
    if (Error E = checkPlace(O.Path))
      return E;
  std::chrono::duration<double, std::nano> Span = Passed;
  return conclude(O, Of, Span.count(), static_cast<ExitCode>(End->Code));
}

struct SnapshotOptions {
  Target At{{}};
  std::string Path;
};

Expected<ExitCode> snapshot(SnapshotOptions &O) {
  if (Error E = O.At.prepareControlled())
    return E;
  if (O.At.Connections.size() != 1)
    return createStringError("a snapshot is of one process: give one -p PID");
  auto File = fileOption(absolute(O.Path));
  if (!File)
    return File.takeError();
  Connection &C = *O.At.Connections[0];
  if (Error E = takeSnapshot(C, *File))
    return E;
  if (!seesSameFiles(C.pid()))
    return tellElsewhere(C, absolute(O.Path));
  Outcome Of;
  if (Error E = count(O.Path, Of))
    return E;
  errs() << formatv("tpctl: {0:n} events, {1:n} lost; next: tpctl report {2}\n",
                    Of.Events, Of.Lost, shellPath(O.Path));
  return Done;
}

// The options that say which arguments and results are recorded.
void addValues(CLI::App &Verb, Options &O) {
  Verb.add_option("--args", O.Arguments, "record the first N integer arguments")
      ->check(CLI::Range(0, 8))
      ->option_text("N");
  Verb.add_flag("--results", O.Results, "record integer results");
  Verb.add_option("--strings", O.Strings,
                  "these arguments are strings, as in 1+3; 1 is first")
      ->option_text("N+N");
}

// The options of a recording that keeps what led to an event.
void addFlight(CLI::App &Verb, FlightOptions &F) {
  Verb.add_option("--flight", F.Size,
                  "a ring of so many bytes; with --when 64M")
      ->option_text("SIZE");
  Verb.add_option("--when", F.When,
                  "keep what led to this, as in 'f > 50ms' or 'point:p'")
      ->option_text("WHAT");
  F.Before = "0s";
  F.After = "50ms";
  Verb.add_option("--before", F.Before, "note if less than so much is kept")
      ->option_text("TIME");
  Verb.add_option("--after", F.After, "keep so much behind it, too; 50ms")
      ->option_text("TIME");
  Verb.add_option("--count", F.Count, "so many times; once if not given")
      ->check(CLI::Range(1, 1000))
      ->option_text("N");
}

} // namespace

void tpctl::addRecord(CLI::App &Top, Action &Chosen, ArrayRef<char *> Command) {
  auto O = std::make_shared<Options>(Command);
  O->Mode = "all";
  CLI::App &Verb =
      *Top.add_subcommand("record", "record -- COMMAND..., or a process");
  O->Chosen.addOptions(Verb);
  O->At.addSignals(Verb);
  O->At.addOptions(Verb);
  O->At.addFor(Verb);
  Verb.add_option("-o", O->Path, "recording; COMMAND.tp if not given")
      ->option_text("FILE");
  Verb.add_option("--mode", O->Mode, "all, newest or full; all if not given")
      ->check(oneOf({"all", "newest", "full"}))
      ->option_text("MODE");
  Verb.add_option("--size", O->Size, "bytes of the recording, as in 64M, 2G")
      ->option_text("N");
  addValues(Verb, *O);
  addFlight(Verb, O->Flight);
  Verb.add_flag("--compress", O->Compress, "pack the recording at the end");
  Verb.add_flag("-q,--quiet", O->Quiet, "no line at the end");
  Verb.callback([O, &Chosen, &Verb] {
    O->Live = Verb.count("-p") != 0;
    bool Shapes = Verb.count("--before") || Verb.count("--after") ||
                  Verb.count("--count");
    Chosen = [O, Shapes] { return record(*O, Shapes); };
  });
}

void tpctl::addSnapshot(CLI::App &Top, Action &Chosen) {
  auto O = std::make_shared<SnapshotOptions>();
  CLI::App &Verb = *Top.add_subcommand(
      "snapshot", "copy what a process has recorded so far");
  O->At.addOptions(Verb);
  Verb.add_option("-o", O->Path, "the copy")->option_text("FILE")->required();
  Verb.callback([O, &Chosen] { Chosen = [O] { return snapshot(*O); }; });
}
