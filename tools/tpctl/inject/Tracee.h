// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread of another process, stopped by ptrace. No signal is sent and none is
// lost: a signal that arrives meanwhile is delivered when the thread continues.
// All calls must come from one thread of tpctl, because ptrace is bound to the
// thread that seized.

#ifndef TPCTL_INJECT_TRACEE_H
#define TPCTL_INJECT_TRACEE_H

#include "Machine.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include <chrono>
#include <csignal>
#include <optional>
#include <sys/types.h>

namespace tpctl {

using Clock = std::chrono::steady_clock;

/// The errno of ptrace when seizing failed, for a separate message.
class PtraceFailure : public llvm::ErrorInfo<PtraceFailure> {
public:
  static char ID;
  PtraceFailure(std::string What, int Code)
      : Code(Code), What(std::move(What)) {}
  void log(llvm::raw_ostream &OS) const override;
  std::error_code convertToErrorCode() const override;
  const int Code;

private:
  std::string What;
};

class Tracee {
public:
  /// Seizes the thread and stops it, within `Patience`. Returns nullptr if the
  /// thread cannot be stopped now, because a signal was pending or the thread
  /// is in an uninterruptible part of the kernel. Then the thread continues.
  static llvm::Expected<std::unique_ptr<Tracee>> stop(pid_t Thread,
                                                      Clock::duration Patience);
  /// The thread continues with all its original registers.
  ~Tracee();
  Tracee(const Tracee &) = delete;

  pid_t thread() const { return Thread; }
  /// The registers when the thread was stopped. restartAtEnd() changes them.
  const Registers &first() const { return First; }
  /// The interrupted system call is restarted when the thread continues.
  void restartAtEnd() {
    restartSystemCall(First);
    Restarts = true;
  }
  const std::vector<uint8_t> &vectors() const { return Vectors; }
  uint64_t blockedSignals() const { return Blocked; }
  /// The address of the thread's struct rseq (linux/rseq.h), which it shares
  /// with the kernel for restartable sequences; 0 if it has none. nullopt if
  /// the kernel cannot tell (before Linux 5.13).
  std::optional<uint64_t> restartable() const;

  /// From now on, no signal reaches the thread until the thread continues.
  llvm::Error blockSignals();
  /// Makes the thread execute a system call with the instruction at this place.
  /// Returns the kernel's result, or -errno.
  llvm::Expected<int64_t> call(uint64_t Instruction, uint64_t Number,
                               const std::vector<uint64_t> &Arguments);
  /// Runs the thread with these registers up to a system call of this number;
  /// that call is skipped. When `Patience` has passed, and then every half
  /// second, `MayGoOn` says whether to wait longer. If the thread does not
  /// reach the call in time, stops the thread and returns false.
  llvm::Expected<bool> run(const Registers &From, uint64_t LastCall,
                           Clock::duration Patience,
                           llvm::function_ref<bool()> MayGoOn);
  /// Restores everything and lets the thread continue. Returns the time since
  /// the stop.
  llvm::Expected<Clock::duration> release();

private:
  explicit Tracee(pid_t Thread) : Thread(Thread) {}
  enum class Stop { Event, Call, Signal, Late };

  llvm::Error request(int Request, void *Address, void *Data, const char *What);
  llvm::Expected<Stop> await(Clock::time_point Deadline);
  llvm::Expected<Stop> awaitCall(Clock::time_point Deadline,
                                 llvm::function_ref<bool()> MayGoOn = nullptr);
  llvm::Expected<Stop> interrupt(Clock::time_point Deadline);
  llvm::Error repeatCall();
  llvm::Error reachEventStop();
  llvm::Error save();
  llvm::Expected<Registers> registers();
  llvm::Error setRegisters(Registers R);

  pid_t Thread;
  bool Seized = false, Changed = false, Restarts = false;
  int Signal = 0; ///< that stopped the thread, and will be delivered
  Registers First{};
  std::vector<uint8_t> Vectors;
  uint64_t Blocked = 0;
  Clock::time_point Begin;
};

} // namespace tpctl

#endif
