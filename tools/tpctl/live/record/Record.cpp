// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tpctl record: runs a command and records it, or records a running process.
// libtprt does the recording, by TPRT_OPTIONS or by a request to the process's
// control. tpctl begins it and waits; Outcome.h reports the result.

#include "Flight.h"
#include "Outcome.h"
#include "Recorder.h"
#include "RuntimeOptions.h"
#include "live/requests/Discovery.h"
#include "live/targets/DryRun.h"
#include "live/targets/Target.h"
#include "live/targets/Unmatched.h"
#include "shared/CommandLine.h"
#include "shared/Launch.h"
#include "shared/Output.h"
#include "shared/Processes.h"
#include "shared/UsageError.h"
#include "llvm/Support/Path.h"
#include <chrono>
#include <cstring>

using namespace llvm;
using namespace tpctl;

namespace {

struct Options : RecorderOptions {
  explicit Options(ArrayRef<char *> Command) : Command(Command), At(Command) {}
  ArrayRef<char *> Command;
  Target At; ///< for a running process, or --when
  FlightOptions Flight;
  Ask Asked;
  bool Live = false, Compress = false, Quiet = false;
  std::string Why; ///< nothing was recorded; empty if unknown
};

/// Nothing was recorded of the command. Returns an error if nothing could be
/// recorded.
Error tellNothing(const Options &O) {
  if (!O.Why.empty())
    return note("nothing was recorded: " + O.Why), Error::success();
  if (std::string Why = whyNotLoaded(O.Command[0]); !Why.empty())
    return createStringError("nothing was recorded of '" + Twine(O.Command[0]) +
                             "'" + Why);
  if (O.Chosen.takesCode())
    note("nothing was recorded: no function matches, or none that matches was "
         "called");
  else
    note("nothing was recorded: no function matches, none that matches was "
         "called, or '" +
         Twine(O.Command[0]) +
         "' has no sleds (built with tp-clang -ftp-entry=2,0 -ftp-exit?)");
  return Error::success();
}

/// Packs and counts the recordings, and prints the last line.
Expected<ExitCode> conclude(const Options &O, Outcome &Of, double Nanoseconds,
                            ExitCode Code) {
  if (O.Compress)
    if (Error E = Of.pack())
      return E;
  if (Error E = Of.count())
    return E;
  if (!O.Quiet && Of.hasFiles())
    Of.tell(Nanoseconds);
  else if (!Of.hasFiles())
    if (Error E = tellNothing(O))
      return E;
  return Code;
}

Error look(Target &At, Recorder &Taken) {
  if (auto Later = Taken.addLater(); !Later)
    return Later.takeError();
  auto Stopped = Taken.hasStopped();
  if (Stopped && *Stopped)
    At.endNow();
  return Stopped.takeError();
}

/// Waits until the process ends or becomes another program, --for has passed,
/// or Ctrl-C is pressed.
Error await(Target &At, Recorder &Taken) {
  Connection &C = *At.Connections[0];
  while (!C.isClosed() && !C.hasEnded() &&
         At.sleepUntil(Target::Clock::now() + std::chrono::milliseconds(50)))
    if (Error E = look(At, Taken))
      return handleErrors(std::move(E), [](const ProcessEnded &) {});
  return Error::success();
}

/// Ends the recording. If the process has ended or runs another program now,
/// the recording has ended already and is complete.
Error stop(Connection &C) {
  return handleErrors(stopRecording(C), [&](const ProcessEnded &Why) {
    if (!C.hasEnded())
      note(Why.message());
  });
}

/// Adds the sites of regular expressions, and those with programs, to the
/// recording of a command, which TPRT_OPTIONS has begun. If the command's
/// process becomes another program by exec, tpctl joins that program again.
class Joining {
public:
  explicit Joining(const RecorderOptions &O) : O(O) {}
  /// Call this repeatedly; it returns the time of the next call. A failure here
  /// does not end the recording.
  std::chrono::milliseconds look(pid_t Command);
  /// The reason why the last program recorded nothing, if known.
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
  if (!Path || !*Path) // not begun yet, or ended
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
  // A program waits before main() until tpctl has joined it.
  constexpr unsigned Soon = 1000;
  return std::chrono::milliseconds(!Taken && ++Looks < Soon ? 2 : 20);
}

Expected<ExitCode> recordProcess(Options &O) {
  O.At.takeOne("a recording is of one process: give one -p PID");
  if (Error E = O.At.prepare(/*AwaitAtEnd=*/false))
    return E;
  if (Error E = checkMatches(O.At, O.Chosen, RecordedKinds))
    return E;
  if (Error E = O.Asked.Around.check(O.At))
    return E;
  Connection &C = *O.At.Connections[0];
  StringRef Name = StringRef(C.name()).split(" (").first;
  O.Path = absolutePath(O.Path.empty() ? Name.str() + ".tp" : O.Path);
  auto File = fileOption(O.Path);
  if (!File)
    return File.takeError();
  std::string Whole = std::exchange(O.Path, *File);
  bool Here = seesSameFiles(C.pid());
  if (!Here && O.Compress)
    return createStringError(C.name() +
                             " sees other files than tpctl: record without "
                             "--compress, and pack the copy");
  auto Begin = Target::Clock::now();
  Recorder Taken(C, O);
  auto Made = Taken.start();
  O.Path = Whole;
  if (!Made)
    return Made.takeError();
  O.At.beginWindow();
  if (Error E = await(O.At, Taken))
    return E;
  if (Error E = stop(C))
    return E;
  if (!Here)
    return tellElsewhere(C, *Made), Done;
  Outcome Of(*Made);
  std::chrono::duration<double, std::nano> Passed =
      Target::Clock::now() - Begin;
  return conclude(O, Of, Passed.count(), Done);
}

/// --flight without --when keeps the ring at the end.
Expected<bool> wantsFlight(Options &O, bool Shapes) {
  if (O.Flight.When.empty()) {
    if (Shapes)
      return wrongUsage("--before, --after and --count need --when");
    if (!O.Flight.Size.empty()) {
      O.Mode = "newest";
      O.Size = O.Flight.Size;
    }
    return false;
  }
  if (!O.Size.empty() || O.Mode != "all")
    return wrongUsage("--when records into a ring: give its size by "
                      "--flight, not --size or --mode");
  if (O.Flight.Size.empty())
    O.Flight.Size = "64M";
  return true;
}

Error prepareExpressions(Options &O) {
  if (!O.Asked.isPrinting())
    return O.Asked.checkPlain();
  if (O.Asked.asksToStop() && !O.Flight.When.empty())
    return wrongUsage("--when ends the recording, as --stop-if and --hits do: "
                      "give one of them");
  if (O.Arguments || O.Results || !O.Strings.empty())
    return wrongUsage("--args, --results and --strings record values of all "
                      "calls: name those that you want by --values, as in "
                      "--values arg0,result");
  if (Error E = O.Asked.preparePrinting())
    return E;
  O.Expressions = &O.Asked;
  return O.Asked.check(O.Chosen);
}

Expected<ExitCode> record(Options &O, bool Shapes) {
  if (Error E = O.Chosen.prepare(O.At.program()))
    return E;
  if (Error E = prepareExpressions(O))
    return E;
  if (Error E = checkSize("--size", O.Size))
    return E;
  if (Error E = checkSize("--flight", O.Flight.Size))
    return E;
  auto Flies = wantsFlight(O, Shapes);
  if (!Flies)
    return Flies.takeError();
  if (Error E = checkValues(O))
    return E;
  if (O.Asked.isDryRun())
    return dryRun(O.At, O.Chosen, O.Asked);
  if (*Flies)
    return recordFlight(O.Flight, O, O.At, O.Compress);
  if (O.Live)
    return recordProcess(O);
  if (O.Command.empty())
    return wrongUsage("no command: tpctl record [options] PATTERN... "
                      "-- COMMAND..., or -p PID" +
                      O.At.guess());
  if (O.At.hasEnd())
    return wrongUsage("--for is for a running process (-p PID); a "
                      "command is recorded until it ends");
  O.Path = absolutePath(O.Path.empty()
                            ? (sys::path::filename(O.Command[0]) + ".tp").str()
                            : O.Path);
  if (Error E = checkPlace(O.Path, bytesAtStart(O)))
    return E;
  auto Text = runtimeOptions(O, O.At.wantsSignals());
  if (!Text)
    return Text.takeError();
  if (Error E = preloadRuntime(O.Command[0]))
    return E;
  // libtprt's messages would be in the program's own standard error.
  if (O.Quiet)
    *Text += " verbose=0";
  setenv("TPRT_OPTIONS", Text->c_str(), 1);
  RunBegin Begin = RunBegin::now();
  Joining Joined(O);
  auto Look = [&](pid_t Command) { return Joined.look(Command); };
  auto End =
      choosesByTool(O) ? runCommand(O.Command, Look) : runCommand(O.Command);
  if (!End)
    return End.takeError();
  std::chrono::duration<double, std::nano> Passed =
      std::chrono::system_clock::now() - Begin.Time;
  O.Why = Joined.why();
  Outcome Of(O.Path, Begin);
  if (End->Signal)
    note("'" + Twine(O.Command[0]) +
         "' was ended by a signal: " + strsignal(End->Signal));
  if (!Of.hasFiles())
    if (Error E = checkPlace(O.Path, bytesAtStart(O)))
      return E;
  return conclude(O, Of, Passed.count(), static_cast<ExitCode>(End->Code));
}

// The options that say which arguments and results are recorded.
void addValues(VerbSyntax &Verb, Options &O) {
  Verb.addOption("--args", O.Arguments, "N",
                 "record the first N integer arguments")
      .within(0, 8);
  Verb.addFlag("--results", O.Results, "record integer results");
  Verb.addOption("--strings", O.Strings, "N+N",
                 "these arguments are strings, as in 1+3; 1 is first");
  O.Asked.addPrinting(Verb, "--values",
                      "record these with each call, as in str(arg0),result");
}

// The options of a recording that keeps only the part that led to an event.
void addFlight(VerbSyntax &Verb, FlightOptions &F) {
  Verb.addOption("--flight", F.Size, "SIZE",
                 "a ring of so many bytes; with --when 64M");
  Verb.addOption("--when", F.When, "WHAT",
                 "keep what led to this, as in 'f > 50ms' or 'point:p'");
  F.Before = "0s";
  F.After = "50ms";
  Verb.addOption("--before", F.Before, "TIME",
                 "print a note if less than this is kept");
  Verb.addOption("--after", F.After, "TIME",
                 "keep this much after it, too; 50ms");
  Verb.addOption("--count", F.Count, "N", "so many times; once if not given")
      .within(1, 1000);
}

} // namespace

void tpctl::addRecord(CommandLine &Line, ArrayRef<char *> Command) {
  auto O = std::make_shared<Options>(Command);
  O->Mode = "all";
  VerbSyntax &Verb =
      Line.addVerb("record", "record -- COMMAND..., or a process");
  O->Chosen.addOptions(Verb);
  O->Chosen.addAwait(Verb);
  O->At.addSignals(Verb);
  O->At.addOptions(Verb);
  O->At.addFor(Verb);
  Verb.addOption("-o", O->Path, "FILE", "recording; COMMAND.tp if not given");
  Verb.addOption("--mode", O->Mode, "MODE",
                 "all, newest or full; all if not given")
      .oneOf({"all", "newest", "full"});
  Verb.addOption("--size", O->Size, "N",
                 "bytes of the recording, as in 64M, 2G");
  addValues(Verb, *O);
  addFlight(Verb, O->Flight);
  Verb.addFlag("--compress", O->Compress, "pack the recording at the end");
  Verb.addFlag("-q,--quiet", O->Quiet,
               "print no line at the end, and no messages of libtprt");
  Verb.setAction([O, &Verb] {
    O->Live = Verb.isGiven("-p");
    bool Shapes = Verb.isGiven("--before") || Verb.isGiven("--after") ||
                  Verb.isGiven("--count");
    return record(*O, Shapes);
  });
}
