// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A connection to the control of a process (docs/reference/control.md). Used on
// one thread.

#ifndef TPCTL_LIVE_REQUESTS_CONNECTION_H
#define TPCTL_LIVE_REQUESTS_CONNECTION_H

#include "Discovery.h"
#include "Message.h"
#include "ProbeSites.h"
#include "inject/Inject.h"
#include "tprt/control_wire.h"
#include "llvm/Support/Error.h"
#include <functional>
#include <memory>
#include <optional>
#include <sys/types.h>

namespace tpctl {

/// The process has ended, or runs another program now.
class ProcessEnded : public llvm::ErrorInfo<ProcessEnded> {
public:
  static char ID;
  explicit ProcessEnded(std::string Text, bool Executed = false)
      : Text(std::move(Text)), Executed(Executed) {}
  /// The process has become another program. That program may have ended, too.
  bool hasExecuted() const { return Executed; }
  void log(llvm::raw_ostream &OS) const override;
  std::error_code convertToErrorCode() const override;

private:
  std::string Text;
  bool Executed;
};

/// The process is stopped by a signal or a debugger, so it answers nothing.
class ProcessStopped : public llvm::ErrorInfo<ProcessStopped> {
public:
  static char ID;
  explicit ProcessStopped(std::string Text) : Text(std::move(Text)) {}
  void log(llvm::raw_ostream &OS) const override;
  std::error_code convertToErrorCode() const override;

private:
  std::string Text;
};

/// The process has no control.
class NoControl : public llvm::ErrorInfo<NoControl> {
public:
  static char ID;
  explicit NoControl(pid_t Pid) : Pid(Pid) {}
  pid_t pid() const { return Pid; }
  void log(llvm::raw_ostream &OS) const override;
  std::error_code convertToErrorCode() const override;

private:
  pid_t Pid;
};

/// Starts the control of a process by loading libtprt into it
/// (inject/Inject.h). Returns nullopt if the process has a control already.
llvm::Expected<std::optional<Injection>> provideControl(pid_t Pid);

class Connection {
public:
  /// Finds the control's socket and sends HELLO. The error says why there is no
  /// connection, and what to do about it. `Flags`: enum
  /// tprt_control_hello_flags. With TPRT_CONTROL_AWAIT_AT_END, the process
  /// waits at its end until goOn().
  static llvm::Expected<std::unique_ptr<Connection>> open(pid_t Pid,
                                                          uint32_t Flags);
  ~Connection();
  Connection(const Connection &) = delete;
  Connection &operator=(const Connection &) = delete;

  /// Sends a request and waits for its answer's body.
  llvm::Expected<std::string> ask(tprt_control_type Type, const Body &Request);
  llvm::Expected<std::string> ask(tprt_control_type Type) {
    return ask(Type, Body());
  }
  /// What to do while the process is stopped: a request waits as long as
  /// `Waits`, which is called again and again with the reason, returns true.
  /// Then the request fails with ProcessStopped, as it does if this was never
  /// called.
  void waitWhileStopped(std::function<bool(const std::string &)> Waits) {
    WaitsWhileStopped = std::move(Waits);
  }
  /// Lets the program continue to main(), or to its end. Does not wait for an
  /// answer.
  void goOn();
  /// Lets the program continue to main(). Returns whether it has waited until
  /// now.
  llvm::Expected<bool> begin();
  /// The flags of a reading about the process's end: enum
  /// tprt_control_read_flags.
  void noteEnd(uint32_t Flags) { End = Flags; }
  /// An error of ProcessStopped if the process is stopped now.
  llvm::Error checkRuns() const;
  /// Whether the process has closed the connection. It may run another program
  /// now.
  bool isClosed() const;
  /// Whether the process has ended.
  bool hasEnded() const;

  pid_t pid() const { return Pid; }
  /// The socket's descriptor, to wait for the end of the connection.
  int file() const { return Socket; }
  /// The name of the program's file, with the process in parentheses.
  std::string name() const;
  /// The error for an answer that has too few bytes.
  llvm::Error tooShort() const;
  double nanosecondsPerTick() const;
  /// The time of a reading of the process's counter, in nanoseconds of tpctl's
  /// own steady clock. The times of one connection are exact relative to one
  /// another, those of different connections to some microseconds.
  double timeOf(uint64_t Ticks) const;
  const tprt_control_hello_answer &hello() const { return Hello; }
  /// Empty until patterns ask for USDT probes.
  ProbeTable Probes;

private:
  Connection(const ControlSocket &To, int Process, int Socket)
      : Pid(To.Pid), Thread(To.Thread), Process(Process), Socket(Socket) {}
  llvm::Error greet(uint32_t Flags);
  llvm::Error lost() const;
  std::string otherProgram() const;
  llvm::Error awaitAnswer() const;
  llvm::Expected<std::string> receive();
  void noteUnread() { Unread = Unread ? Unread : LastId; }

  pid_t Pid, Thread;   ///< the process, and its control's thread
  int Process, Socket; ///< descriptors
  uint32_t LastId = 0;
  uint32_t Unread = 0; ///< the first request whose answer was not read
  tprt_control_hello_answer Hello{};
  double Greeted = 0;  ///< the steady clock when Hello arrived, in nanoseconds
  bool Awaits = false; ///< the process waits for this tool at its end
  uint32_t End = 0;    ///< from the last reading
  std::function<bool(const std::string &)> WaitsWhileStopped;
  std::string Program;
  std::string File; ///< that the process runs, when the connection was made
};

/// A message of libtprt, reworded for users of tpctl.
std::string inWordsOfTpctl(std::string Text);

} // namespace tpctl

#endif
