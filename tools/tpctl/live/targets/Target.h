// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a live verb is about: processes that run (-p PID), or a command that is
// started for it (-- COMMAND...); and how long it looks. On the main thread.

#ifndef TPCTL_LIVE_TARGETS_TARGET_H
#define TPCTL_LIVE_TARGETS_TARGET_H

#include "live/requests/Connection.h"
#include "shared/Verb.h"
#include <chrono>
#include <vector>

namespace tpctl {

class Target {
public:
  using Clock = std::chrono::steady_clock;

  explicit Target(llvm::ArrayRef<char *> Command) : Command(Command) {}
  ~Target();
  Target(const Target &) = delete;

  /// -p. The verb's other options may follow.
  void addOptions(CLI::App &Verb);
  /// --for.
  void addFor(CLI::App &Verb);
  /// --interval.
  void addInterval(CLI::App &Verb);
  /// --signals.
  void addSignals(CLI::App &Verb);

  /// Reads the options, starts the command if there is one, and connects.
  /// libtprt is loaded into processes that have no control.
  llvm::Error prepare(bool AwaitAtEnd);
  /// The same for a verb that refuses processes without control.
  llvm::Error prepareControlled();
  /// Where neither processes nor a command were given: what was meant, if one
  /// of the patterns is an executable file or a process's number; or "".
  std::string guess() const;
  /// For a verb that was given a file: refuses processes and commands.
  llvm::Error prepareNone();
  /// The command goes on to main().
  void release();
  /// --for begins now.
  void restart();
  /// Sleeps until `Next`, until a process closes its connection, or until the
  /// verb is to end: --for has passed, or Ctrl-C was pressed. False: the verb
  /// is to end.
  bool sleepUntil(Clock::time_point Next);
  /// False: the verb is to end.
  bool goesOn() const;
  /// Drops a connection whose process has ended. Any other error is returned.
  llvm::Error drop(size_t Index, llvm::Error E);
  /// Where nothing was found in the command: says that programs that it starts
  /// are not looked at, unless drop() has said what it has become.
  void tellOthers() const;
  /// If all processes have ended, and one of them did not wait for the last
  /// reading, says so. That process was last read `Age` before its end was
  /// seen.
  void tellAbruptEnd(std::optional<Clock::duration> Age) const;
  /// Waits for the command, if there is one. The verb's exit code.
  llvm::Expected<ExitCode> finish();

  std::vector<std::unique_ptr<Connection>> Connections;
  /// To be called before prepare(): the command gets no input from the
  /// terminal, and what it would write there goes to this file; "": nowhere.
  void keepOffTerminal(std::string Path) { Output = std::move(Path); }
  /// Whether --signals was given.
  bool wantsSignals() const { return Signals; }
  bool hasCommand() const { return Child != 0; }
  /// As Ctrl-C does.
  void interruptCommand() const;

  /// Whether --for was given.
  bool hasEnd() const { return !ForText.empty(); }
  /// 0: none was given.
  std::chrono::nanoseconds interval() const { return Interval; }
  /// To be called before prepare(): holds where none was given.
  void useInterval(std::chrono::nanoseconds Usual) { Interval = Usual; }

private:
  llvm::Error parse();
  llvm::Error start(bool AwaitAtEnd);
  llvm::Error connect(pid_t Pid, bool AwaitAtEnd);
  llvm::Error awaitControl(bool AwaitAtEnd);
  int awaitCommand() const;

  llvm::ArrayRef<char *> Command;
  const CLI::App *Verb = nullptr;
  std::vector<int> Pids;
  std::string ForText, IntervalText;
  std::chrono::nanoseconds Interval{0}, For{0};
  std::optional<std::string> Output;
  Clock::time_point End = Clock::time_point::max();
  pid_t Child = 0;
  bool Released = false, Signals = false;
  bool Executed = false; ///< a process has become another program
};

} // namespace tpctl

#endif
