// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread of another process, stopped by ptrace. No signal is made and none is
// lost: a signal that arrives meanwhile is delivered when the thread continues.
// Used on one thread, as ptrace is bound to the thread that seized.

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

/// What seizing said, for a message of its own: errno of ptrace.
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
  /// thread cannot be stopped now: a signal was on its way to it, or it is in a
  /// part of the kernel that cannot be interrupted. It continues then.
  static llvm::Expected<std::unique_ptr<Tracee>> stop(pid_t Thread,
                                                      Clock::duration Patience);
  /// The thread continues with all registers as they were at first.
  ~Tracee();
  Tracee(const Tracee &) = delete;

  pid_t thread() const { return Thread; }
  /// As they were when the thread was stopped. Changed by restartAtEnd().
  const Registers &first() const { return First; }
  /// The system call that was interrupted begins again when the thread goes on.
  void restartAtEnd() {
    restartSystemCall(First);
    Restarts = true;
  }
  const std::vector<uint8_t> &vectors() const { return Vectors; }
  uint64_t blockedSignals() const { return Blocked; }
  /// The address of what the thread shares with the kernel for restartable
  /// sequences (struct rseq in linux/rseq.h); 0: nothing. nullopt: the kernel
  /// does not tell (before Linux 5.13).
  std::optional<uint64_t> restartable() const;

  /// From here on no signal reaches the thread, until it continues.
  llvm::Error blockSignals();
  /// Has the thread make a system call by the instruction at this place.
  /// Returns what the kernel returned: a result, or -errno.
  llvm::Expected<int64_t> call(uint64_t Instruction, uint64_t Number,
                               const std::vector<uint64_t> &Arguments);
  /// Has the thread run with these registers up to a system call of this
  /// number, which is left out. When `Patience` has passed, and then every half
  /// second, `MayGoOn` says whether to wait longer. False: the thread did not
  /// get there in time, and is stopped.
  llvm::Expected<bool> run(const Registers &From, uint64_t LastCall,
                           Clock::duration Patience,
                           llvm::function_ref<bool()> MayGoOn);
  /// Restores everything and lets the thread go on. The time since the stop.
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
  int Signal = 0; ///< that stopped the thread, and is to be delivered
  Registers First{};
  std::vector<uint8_t> Vectors;
  uint64_t Blocked = 0;
  Clock::time_point Begin;
};

} // namespace tpctl

#endif
