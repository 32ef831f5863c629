// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Target.h.

#include "Target.h"

#include "live/requests/Discovery.h"
#include "live/requests/Patterns.h"
#include "live/targets/Names.h"
#include "live/targets/RefusedSites.h"
#include "shared/CommandLine.h"
#include "shared/FairClock.h"
#include "shared/FileLimit.h"
#include "shared/Launch.h"
#include "shared/Output.h"
#include "shared/Processes.h"
#include "shared/Progress.h"
#include "shared/Selection.h"
#include "shared/Usage.h"
#include "shared/UsageError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <csignal>
#include <cstring>
#include <filesystem>
#include <poll.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace llvm;
using std::chrono::milliseconds;

namespace tpctl {
namespace {

volatile std::sig_atomic_t Interrupted;
/// The signal that a process has sent, or 0. A signal of the terminal reaches
/// the command anyway.
volatile std::sig_atomic_t Sent;
void interrupt(int Signal, siginfo_t *Info, void *) {
  if (Info->si_code <= 0)
    Sent = Signal;
  Interrupted = 1;
}

} // namespace

static std::string howEnded(int Status) {
  if (WIFSIGNALED(Status))
    return std::string("by a signal: ") + strsignal(WTERMSIG(Status));
  return "with exit status " + std::to_string(WEXITSTATUS(Status));
}

/// Called when the verb has failed, or needs no run of the command. A command
/// that waits before its main() has done nothing yet, so tpctl ends it. A
/// command that has begun is left running, because it may be in the middle of
/// its work.
Target::~Target() {
  if (!Child)
    return;
  bool Waits = !Released && !Connections.empty();
  bool Ends = Released && Connections.empty();
  if (Waits)
    kill(Child, SIGKILL);
  int Status = 0;
  pid_t Ended = waitpid(Child, &Status, Waits || Ends ? 0 : WNOHANG);
  const std::string Name = "'" + std::string(Command[0]) + "' ";
  if (Ended == 0)
    note(Name + "continues as process " + Twine(Child) +
         ", and tpctl does not watch it");
  else if (Waits)
    note(Name + (OnlyLooks ? "was loaded for its functions alone, and did "
                             "not run"
                           : "did not run: tpctl ended it before its main()"));
  else if (Ended == Child)
    note(Name + "ended " + howEnded(Status));
}

std::string Target::program() const {
  if (!Command.empty())
    return sys::path::filename(Command[0]).str();
  std::error_code Code;
  std::filesystem::path File;
  if (!Pids.empty())
    File = std::filesystem::read_symlink(procPath(Pids.front(), "exe"), Code);
  const std::string Name = File.filename().string();
  StringRef Shown = Name;
  Shown.consume_back(" (deleted)"); // proc_pid_exe(5)
  return Shown.str();
}

void Target::catchSignals() {
  struct sigaction Action{};
  Action.sa_sigaction = interrupt;
  Action.sa_flags = SA_SIGINFO;
  for (int Signal : {SIGINT, SIGTERM, SIGHUP})
    sigaction(Signal, &Action, nullptr);
}

Error Target::connect(pid_t Pid, bool AwaitAtEnd) {
  uint32_t Flags = (AwaitAtEnd ? uint32_t{TPRT_CONTROL_AWAIT_AT_END} : 0) |
                   (Signals ? uint32_t{TPRT_CONTROL_SIGNALS} : 0);
  auto C = Connection::open(Pid, Flags);
  if (!C)
    return C.takeError();
  Connections.push_back(std::move(*C));
  return Error::success();
}

Error Target::prepareNone() {
  if (Pids.empty() && Command.empty())
    return Error::success();
  return wrongUsage("give a file, or -p PID, or -- COMMAND...");
}

Error Target::prepareControlled() {
  if (Error E = parse())
    return E;
  for (int Pid : Pids)
    if (Error E = connect(Pid, /*AwaitAtEnd=*/false))
      return E;
  return Error::success();
}

Error Target::prepare(bool AwaitAtEnd) {
  if (Error E = parse())
    return E;
  if (!Command.empty()) {
    if (Error E = start(AwaitAtEnd))
      return E;
  }
  for (int Pid : Pids) {
    auto Loaded = provideControl(Pid);
    if (!Loaded)
      return Loaded.takeError();
    if (*Loaded)
      note("loaded libtprt into process " + Twine(Pid) +
           "; one of its threads was stopped for " +
           timeText(static_cast<double>((*Loaded)->Stopped.count())));
    if (Error E = connect(Pid, AwaitAtEnd))
      return E;
  }
  for (auto &C : Connections)
    waitWhileStopped(*C);
  beginTurningOn();
  return Error::success();
}

void Target::beginWindow() {
  if (std::chrono::duration<double, std::nano> Took = Clock::now() - TurningOn;
      Took >= std::chrono::seconds(1))
    note("it took " + timeText(Took.count()) + " to turn all sites on" +
         (hasEnd() ? "; the time of --for begins now" : ""));
  restart();
  release();
}

static std::string untilContinued(const std::string &Why) {
  return Why + ", or press Ctrl-C to see what was counted so far";
}

/// A process that was stopped for a while is watched on.
void Target::waitWhileStopped(Connection &C) {
  C.waitWhileStopped([this](const std::string &Why) {
    if (!canWait() || !goesOn())
      return false;
    Messages.once(untilContinued(Why));
    return true;
  });
}

/// The arguments that select a process for another verb. A program that the
/// command starts, or becomes, can only be given by its number.
std::string Target::argumentsFor(const Connection &C) const {
  if (C.pid() != Child || Executed)
    return "-p " + std::to_string(C.pid());
  std::string Text = "--";
  for (const char *Word : Command)
    Text += " " + shellWord(Word);
  return Text;
}

void Target::tellRefused(Connection &C, const Patterns &P,
                         const Attached &Done) {
  if (!Done.Why.empty() && Messages.isNews(Done.Why))
    Messages.say(describeRefused(C, P, Done, argumentsFor(C)));
}

void Target::restart() {
  if (For.count())
    End = Clock::now() + For;
}

Error Target::start(bool AwaitAtEnd) {
  if (Error E = preloadRuntime(Command[0]))
    return E;
  const char *Others = getenv("TPRT_OPTIONS");
  std::string Text = Others && *Others ? std::string(Others) + " " : "";
  Text += "control=" + std::to_string(getpid());
  if (WithChildren) {
    auto Listening = Children::listen();
    if (!Listening)
      return Listening.takeError();
    Started = std::move(*Listening);
    Text += " tool=" + Started->path();
  }
  setenv("TPRT_OPTIONS", Text.c_str(), 1);
  auto Started = startCommand(Command, Output ? &*Output : nullptr);
  if (!Started)
    return Started.takeError();
  Child = *Started;
  raiseFileLimit(); // not of the command
  if (std::string Why = whyNotLoaded(Command[0]);
      WithChildren && !Why.empty()) {
    note("'" + Twine(Command[0]) +
         "' itself is not observed, but the programs that it starts are" + Why);
    return Error::success();
  }
  return awaitControl(AwaitAtEnd);
}

bool Target::hasCommandEnded() const {
  siginfo_t Info{};
  waitid(P_PID, static_cast<id_t>(Child), &Info, WEXITED | WNOHANG | WNOWAIT);
  return Info.si_pid == Child;
}

/// If libtprt is loaded into the program, its control begins before main().
Error Target::awaitControl(bool AwaitAtEnd) {
  FairClock Waited(Child);
  while (Waited.elapsed() < std::chrono::seconds(5)) {
    if (hasCommandEnded())
      return createStringError("'" + Twine(Command[0]) +
                               "' ended before tpctl could watch it" +
                               whyNotLoaded(Command[0]));
    auto Path = findSocket(Child);
    if (Path && *Path)
      return connect(Child, AwaitAtEnd);
    consumeError(Path.takeError());
    std::this_thread::sleep_for(milliseconds(2));
  }
  return createStringError("'" + Twine(Command[0]) +
                           "' has no control after 5 s: it is static, gains "
                           "privileges, or drops LD_PRELOAD; or its file "
                           "cannot be read, or it has another /proc (of "
                           "another PID namespace)");
}

/// After the command has become another program: the same for that program.
/// Returns false if it has no control.
bool Target::connectAgain() {
  FairClock Waited(Child);
  while (goesOn() && !hasCommandEnded() &&
         Waited.elapsed() < std::chrono::seconds(5)) {
    auto Path = findSocket(Child);
    if (!Path || !*Path) {
      consumeError(Path.takeError());
      std::this_thread::sleep_for(milliseconds(2));
    } else if (Error E = connect(Child, /*AwaitAtEnd=*/true)) {
      note(toString(std::move(E)));
      return false;
    } else {
      Followed = Connections.back().get();
      waitWhileStopped(*Followed);
      return true;
    }
  }
  return false;
}

/// The next reading reports any error.
void Target::beginOne(Connection &C) {
  auto Waited = C.begin();
  Late += Waited && !*Waited;
  consumeError(Waited.takeError());
}

void Target::release() {
  if (Child && !Released && !Output)
    shareTerminal();
  if (Child && !Released)
    for (auto &C : Connections)
      beginOne(*C);
  Released = true;
}

bool Target::sleepUntil(Clock::time_point Next) {
  OnlyNext = false;
  // The wait consists of short waits, because a signal may arrive right before
  // a wait begins.
  while (!Interrupted && !IsOver && Clock::now() < std::min(Next, End)) {
    auto Left =
        std::min({Next, End, Clock::now() + milliseconds(20)}) - Clock::now();
    Event Happened = Ends.await(Connections, Started.get(),
                                std::max<std::chrono::nanoseconds>(
                                    Left, std::chrono::nanoseconds::zero()));
    OnlyNext = Happened == Event::MayBeNext;
    if (Happened != Event::Nothing)
      break;
  }
  return goesOn();
}

bool Target::goesOn() const {
  return !Interrupted && !IsOver && Clock::now() < End;
}

void Target::interruptCommand() const {
  if (Child)
    kill(Child, SIGINT);
}

Error Target::drop(size_t Index, Error E) {
  return handleErrors(std::move(E), [&](const ProcessEnded &Why) {
    const pid_t Pid = Connections[Index]->pid();
    const bool IsCommand = Pid == Child;
    forget(Index);
    if (!Why.hasExecuted())
      return;
    Executed = true;
    // When the time is over, nothing is watched anyway.
    if ((IsCommand && Follows && connectAgain()) || !goesOn())
      return;
    if (Started && !IsCommand)
      return Started->expect(Pid);
    note(Why.message());
  });
}

Error Target::learnNames(Connection &C, SiteNames &Names,
                         Clock::time_point Until) const {
  if (!Names.lacks())
    return Error::success();
  Error E = checkRuns(C);
  if (!E)
    E = Names.learn(C, Until);
  return handleErrors(
      std::move(E), [](const ProcessEnded &) {}, [](const ProcessStopped &) {});
}

bool Target::isWatching() {
  Over =
      Over ||
      (Connections.empty() &&
       !(Started && ((Child && !hasCommandEnded()) || Started->expectsOne() ||
                     Started->mayAnnounce(Connections))));
  return !Over;
}

Connection *Target::takeNext() {
  if (Followed)
    return std::exchange(Followed, nullptr);
  while (Started && goesOn()) {
    auto C = Started->next(TPRT_CONTROL_AWAIT_AT_END |
                           (Signals ? uint32_t{TPRT_CONTROL_SIGNALS} : 0));
    if (!C) {
      Messages.once(toString(C.takeError()));
      continue;
    }
    if (!*C)
      return nullptr;
    Connections.push_back(std::move(*C));
    waitWhileStopped(*Connections.back());
    return Connections.back().get();
  }
  return nullptr;
}

void Target::forget(size_t Index) {
  Ends.forget(*Connections[Index]);
  Connections.erase(Connections.begin() + static_cast<ptrdiff_t>(Index));
}

void Target::begin(Connection &Next, Error Attached) {
  if (!Attached)
    return beginOne(Next);
  Next.goOn();
  // A child's short life is no news.
  if (WithChildren && Attached.isA<ProcessEnded>())
    consumeError(std::move(Attached));
  else
    Messages.once(toString(std::move(Attached)));
  auto At = find_if(Connections, [&](auto &C) { return C.get() == &Next; });
  forget(static_cast<size_t>(At - Connections.begin()));
}

void Target::tellOthers() const {
  if (!Command.empty() && !Executed && !WithChildren)
    note("only '" + Twine(Command[0]) +
         "' itself is observed, not the programs that it starts: --children "
         "observes them, too");
}

void Target::tellNothing(const Patterns &P, const std::string &Text) {
  // If the verb was ended, a later program might have matched.
  if (P.awaits() || !goesOn())
    note(Text);
  else
    Nothing = Text;
}

void Target::tellStopped(Error E, Clock::duration Age) {
  std::chrono::duration<double, std::nano> Passed = Age;
  std::string Why = toString(std::move(E));
  if (goesOn())
    return Messages.once(untilContinued(Why));
  if (Messages.isNews(Why))
    note(Why + "; the last reading was " + timeText(Passed.count()) +
         " ago, and later events are missing");
  Incomplete = true;
}

void Target::tellAbruptEnd(std::optional<Clock::duration> Age) {
  if (Late)
    note(
        countText(Late, "process", "processes") +
        " did not wait for tpctl, which was too slow or was stopped: the first "
        "calls may be missing");
  if (uint64_t Missed = Started ? Started->missed() : 0) {
    note(countText(Missed, "process ended before tpctl could observe it",
                   "processes ended before tpctl could observe them") +
         ": killed, or tpctl was too slow or was stopped");
    Incomplete = true;
  }
  Incomplete |= Late != 0;
  if (!Age)
    return;
  Incomplete = true;
  std::chrono::duration<double, std::nano> Passed = *Age;
  note(Twine(Pids.size() > 1 || WithChildren
                 ? "one of the processes has ended early: "
                 : "") +
       "the process was ended by a signal, or by a system call that libtprt "
       "does not see, or it waited too long for tpctl: the last reading was " +
       timeText(Passed.count()) +
       " before its end was seen, and later events may be missing");
}

/// Waits for the command's end, and returns its status. The command may become
/// other programs by exec. If the command had a control, each of them has one,
/// too, and waits before its main() for this tool. This function lets each such
/// program continue. If a process has sent tpctl a signal, the command gets it
/// now, after the last reading.
int Target::awaitCommand() const {
  std::unique_ptr<Connection> Program; // of the command's program
  constexpr unsigned Soon = 1000;
  unsigned Looks = 0;
  // A signal has ended the verb.
  bool Tells = std::exchange(Interrupted, 0);
  if (Sent)
    kill(Child, std::exchange(Sent, 0));
  const auto Begin = Clock::now();
  for (int Status = 0;;) {
    pid_t Ended = waitpid(Child, &Status, WNOHANG);
    if (Ended == Child || (Ended < 0 && errno != EINTR))
      return Status;
    if (Interrupted) {
      Interrupted = 0;
      kill(Child, Sent ? std::exchange(Sent, 0) : SIGINT);
    }
    if (Tells && Clock::now() - Begin > std::chrono::seconds(1)) {
      Tells = false;
      note("the command still runs (process " + Twine(Child) +
           "), and tpctl waits for its end; the next Ctrl-C or signal is "
           "passed on to it");
    }
    if (Program && Program->isClosed())
      Program.reset(), Looks = 0;
    if (!Program) {
      if (auto C = Connection::open(Child, /*Flags=*/0))
        (Program = std::move(*C))->goOn();
      else
        consumeError(C.takeError());
    }
    pollfd Closed = {Program ? Program->file() : -1, POLLRDHUP, 0};
    poll(&Closed, 1, Program ? 20 : ++Looks < Soon ? 2 : 50);
  }
}

Expected<ExitCode> Target::finish() {
  Started.reset();
  release();
  Connections.clear();
  const int Status = Child ? awaitCommand() : 0;
  const bool IsCommand = std::exchange(Child, 0) != 0;
  // If processes or calls were missed, they may have matched.
  const bool HasFailed = IsCommand && exitCodeOf(Status) != 0;
  if (!Nothing.empty() && !HasFailed && !Incomplete)
    return createStringError(Nothing);
  if (!Nothing.empty())
    note(Nothing);
  if (!IsCommand)
    return Incomplete ? Failure : Done;
  return static_cast<ExitCode>(exitCodeOf(Status));
}

} // namespace tpctl
