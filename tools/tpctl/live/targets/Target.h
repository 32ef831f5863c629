// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The processes of a live verb, and how long the verb observes them. The
// processes are running ones (-p PID), or a command that tpctl starts (--
// COMMAND...). Used on the main thread.

#ifndef TPCTL_LIVE_TARGETS_TARGET_H
#define TPCTL_LIVE_TARGETS_TARGET_H

#include "live/requests/Connection.h"
#include "live/targets/Children.h"
#include "live/targets/Events.h"
#include "live/targets/Notes.h"
#include "shared/Verb.h"
#include <chrono>
#include <vector>

namespace tpctl {

class Option;
class Patterns;
class SiteNames;
struct Attached;
class VerbSyntax;

class Target {
public:
  using Clock = std::chrono::steady_clock;

  explicit Target(llvm::ArrayRef<char *> Command) : Command(Command) {}
  ~Target();
  Target(const Target &) = delete;

  /// Adds -p. The verb's other options may follow.
  void addOptions(VerbSyntax &Verb);
  /// --for.
  void addFor(VerbSyntax &Verb);
  /// --interval.
  void addInterval(VerbSyntax &Verb);
  /// --total, for a verb whose tables have the calls of an interval.
  void addTotal(VerbSyntax &Verb);
  /// --signals.
  void addSignals(VerbSyntax &Verb);
  /// --children, for a verb that watches each process of takeNext().
  void addChildren(VerbSyntax &Verb, Option CalleesOf);

  /// Reads the options, starts the command if there is one, and connects.
  /// libtprt is loaded into processes that have no control.
  llvm::Error prepare(bool AwaitAtEnd);
  /// The same for a verb that refuses processes without control.
  llvm::Error prepareControlled();
  /// If neither a process nor a command was given, and one of the patterns is
  /// an executable file or a process's number, returns a hint; otherwise "".
  std::string guess() const;
  /// Refuses processes and commands, for a verb that was given a file.
  llvm::Error prepareNone();
  /// Lets the command continue to main().
  void release();
  /// The time of --for starts now.
  void restart();
  /// The verb turns its sites on from now on. prepare() calls this, too.
  void beginTurningOn() { TurningOn = Clock::now(); }
  /// All sites are on: the time of --for starts now, and the command continues
  /// to main(). If it took long to turn the sites on, prints a message.
  void beginWindow();
  /// Sleeps until `Next`, until a process closes its connection, or until the
  /// verb has to end: --for has passed, or Ctrl-C was pressed. Returns false if
  /// the verb has to end.
  bool sleepUntil(Clock::time_point Next);
  /// The verb ends, as when the time of --for has passed.
  void endNow() { IsOver = true; }
  /// Returns false if the verb must end.
  bool goesOn() const;
  /// Whether the last sleepUntil() returned true only because there may be a
  /// next process: no reading is due.
  bool hasOnlyNext() const { return OnlyNext; }
  /// Whether there is a process to watch, or one may follow. Once this has
  /// returned false, it always does.
  bool isWatching();
  /// If the error is that the process has ended, drops the connection. Returns
  /// any other error. If the command has become another program by exec, and
  /// followExec() was called, connects to that program.
  llvm::Error drop(size_t Index, llvm::Error E);
  /// From now on, the verb follows the command from program to program.
  void followExec() { Follows = true; }
  /// Whether the last drop() has connected to that program.
  bool hasFollowed() const { return Followed; }
  /// The next connection to a program that the command has become or, with
  /// --children, to a process that it has started: nullptr if there is none.
  /// The program waits until the verb has attached and called begin().
  Connection *takeNext();
  /// Lets that program continue. If \p Attached is an error, prints it, and
  /// drops the connection.
  void begin(Connection &Next, llvm::Error Attached);
  /// Call this if nothing was found in the command. Reports that tpctl does not
  /// follow the programs that the command starts, unless drop() has already
  /// reported that the command has become another program.
  void tellOthers() const;
  /// The patterns have matched nothing at all. Says so; without --await, this
  /// is the error that finish() returns.
  void tellNothing(const Patterns &P, const std::string &Text);
  /// If a process has ended without waiting for its last reading, prints a
  /// message. That process was last read `Age` before its end was noticed. Its
  /// numbers may be incomplete, so finish() returns Failure, unless the process
  /// is the command, which has its own exit code.
  void tellAbruptEnd(std::optional<Clock::duration> Age);
  /// Call this before a request. An error of ProcessStopped if the process is
  /// stopped and other processes must not wait for it. If this process is the
  /// only one, the request waits until the process continues.
  llvm::Error checkRuns(const Connection &C) const {
    return canWait() ? llvm::Error::success() : C.checkRuns();
  }
  /// Requests the names that a process lacks, until the time. The next reading
  /// reports that the process has ended, or is stopped.
  llvm::Error learnNames(Connection &C, SiteNames &Names,
                         Clock::time_point Until) const;
  /// A process could not be read, because it is stopped (\p E), and was last
  /// read `Age` ago. Prints a message. If the verb ends, finish() returns
  /// Failure as after tellAbruptEnd().
  void tellStopped(llvm::Error E, Clock::duration Age);
  /// If sites were refused at an attach, prints the first reason, some of the
  /// functions, and the command that lists all of them. Makes at most one
  /// request.
  void tellRefused(Connection &C, const Patterns &P, const Attached &Done);
  /// Waits for the command, if there is one. Returns the verb's exit code.
  llvm::Expected<ExitCode> finish();
  /// In place of finish(), if the command is not to run: it ends with tpctl.
  ExitCode finishUnrun() {
    OnlyLooks = true;
    return Done;
  }

  std::vector<std::unique_ptr<Connection>> Connections;
  /// A verb that uses the whole terminal redirects them. Then nothing waits for
  /// a stopped process.
  Notes Messages;
  /// Call this before prepare(): the command gets no input from the terminal,
  /// and its output to the terminal goes to this file, or nowhere if it is "".
  void keepOffTerminal(std::string Path) { Output = std::move(Path); }
  /// For a verb that takes only one process. Call this before prepare(), which
  /// fails with the message if several processes were given.
  void takeOne(const char *Message) { OnlyOne = Message; }
  /// Whether --signals was given.
  bool wantsSignals() const { return Signals; }
  bool hasCommand() const { return Child != 0; }
  bool watchesChildren() const { return WithChildren; }
  /// Where results go, for Output::open(): the file of -o, or else standard
  /// output. The standard output of a command is the command's own; then
  /// results go to standard error.
  std::string resultPath(const std::string &File) const {
    return !File.empty() ? File : Command.empty() ? "-" : "";
  }
  /// The file name of the command's program, or of a given process's program;
  /// "" if unknown. May be called before prepare().
  std::string program() const;
  /// Ends the verb as Ctrl-C does.
  void interruptCommand() const;

  /// The time, or the end of the verb if that comes before.
  Clock::time_point clampToEnd(Clock::time_point Time) const {
    return std::min(Time, End);
  }
  /// After parsing: whether a process or a command was given.
  bool isGiven() const { return !Pids.empty() || !Command.empty(); }
  /// Whether --for was given.
  bool hasEnd() const { return !ForText.empty(); }
  /// Returns 0 if no --interval was given.
  std::chrono::nanoseconds interval() const { return Interval; }
  /// Whether --total was given: tables have all calls since the start.
  bool wantsTotal() const { return Total; }
  /// Whether a table has only what happened since the table before.
  bool showsParts() const { return Interval.count() && !Total; }
  /// Sets the default of --interval. Call this before prepare().
  void useInterval(std::chrono::nanoseconds Usual) { Interval = Usual; }

private:
  llvm::Error parse();
  static void catchSignals();
  std::string optionsFor(const std::string &Number) const;
  /// A number among the patterns is meant for an option.
  llvm::Error refuseNumbers() const;
  llvm::Error start(bool AwaitAtEnd);
  llvm::Error connect(pid_t Pid, bool AwaitAtEnd);
  llvm::Error awaitControl(bool AwaitAtEnd);
  bool hasCommandEnded() const;
  void waitWhileStopped(Connection &C);
  bool canWait() const {
    return Connections.size() == 1 && !WithChildren &&
           !Messages.areRedirected();
  }
  bool connectAgain();
  void beginOne(Connection &C);
  std::string argumentsFor(const Connection &C) const;
  void forget(size_t Index);
  int awaitCommand() const;

  llvm::ArrayRef<char *> Command;
  const VerbSyntax *Verb = nullptr;
  std::vector<int> Pids;
  const char *OnlyOne = nullptr;
  std::string ForText, IntervalText;
  std::chrono::nanoseconds Interval{0}, For{0};
  std::optional<std::string> Output;
  std::string Nothing; ///< the text of tellNothing()
  Clock::time_point End = Clock::time_point::max(), TurningOn;
  pid_t Child = 0;
  bool Released = false, Signals = false, WithChildren = false, Total = false;
  bool Executed = false; ///< a process has become another program
  bool Follows = false;
  bool OnlyNext = false;
  bool OnlyLooks = false;  ///< finishUnrun() was called
  bool IsOver = false;     ///< endNow() was called
  uint64_t Late = 0;       ///< processes that have not waited for tpctl
  bool Over = false;       ///< isWatching() has returned false
  bool Incomplete = false; ///< a process has ended abruptly, or is stopped
  Connection *Followed = nullptr;
  std::unique_ptr<Children> Started;
  Events Ends;
};

} // namespace tpctl

#endif
