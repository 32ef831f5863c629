// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One injection: it prepares the payload, makes one thread of the target create
// a new thread, and waits until libtprt's control runs in the target. It runs
// in the child process that Inject.cpp makes, in this order:
//
// 1. Refuse what cannot work, before anything is changed (Refusals.h).
// 2. Stop one thread that is waiting in a system call, or computing (Choice.h).
// 3. On that thread: map memory, copy the payload there, call pthread_create.
// 4. Restore that thread and let it continue.
// 5. The new thread makes a memory file. tpctl writes libtprt into it. If no
//   /proc is mounted, tpctl has made a file before (RootFile.h).
// 6. The new thread loads it, calls tprt_control_start(), unmaps the payload,
//    and ends.
//
// Plant.cpp has steps 3 and 4, and Injector.cpp the other work of tpctl.

#ifndef TPCTL_INJECT_INJECTOR_H
#define TPCTL_INJECT_INJECTOR_H

#include "Choice.h"
#include "Inject.h"
#include "Payload.h"
#include "RootFile.h"
#include "shared/FairClock.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <string>

namespace tpctl {

/// The payload's memory: a page of code, the block, and a stack. The block ends
/// with a signal's frame, see Machine.h.
constexpr uint64_t PageBytes = 4096;
constexpr uint64_t BlockAt = PageBytes, FrameAt = BlockAt + PageBytes;
constexpr uint64_t StackAt = FrameAt + 4 * PageBytes;
constexpr uint64_t PayloadBytes = StackAt + 32 * PageBytes;

/// One object serves one injection, on one thread.
class Injector {
public:
  explicit Injector(const Image &Target)
      : Target(Target), Memory(Target.memory()), Pid(Memory.Pid) {}
  llvm::Expected<Injection> run();
  /// Whether run() has done nothing because the list of modules has changed
  /// since it was read.
  bool isStale() const { return Stale; }

private:
  // Before a thread is stopped.
  llvm::Error fillBlock();
  uint64_t findSystemCall() const;
  llvm::Expected<std::string> findLibrary();
  llvm::Error placeFile();
  // On the stopped thread: Plant.cpp.
  llvm::Error plant(Tracee &T);
  llvm::Error mapPayload(Tracee &T);
  llvm::Error startThread(Tracee &T);
  bool mayGoOn(const Tracee &T, FairClock &Waited);
  llvm::Error failedToCreate(Tracee &T);
  llvm::Error remoteFailure(llvm::StringRef What, int64_t Result);
  // While the new thread runs.
  llvm::Error follow();
  llvm::Error awaitStage(Stage Wanted, FairClock &Waited);
  llvm::Error notEnded(FairClock &Waited) const;
  llvm::Error withoutBlock(Stage Wanted);
  llvm::Error said(const InjectBlock &Now);
  llvm::Error fillFile();
  void dismiss();
  template <typename T> bool set(T InjectBlock::*Member, T Value) {
    InjectBlock *Null = nullptr;
    auto Offset = reinterpret_cast<uint64_t>(&(Null->*Member));
    return Memory.write(Base + BlockAt + Offset, &Value, sizeof Value);
  }

  bool Stale = false, MayUnmap = true;
  std::string Switches; ///< of the thread that runs pthread_create
  const Image &Target;
  const TargetMemory &Memory;
  const pid_t Pid;
  std::unique_ptr<llvm::MemoryBuffer> Library;
  std::unique_ptr<RootFile> Placed; ///< where there is no /proc
  InjectBlock Block{};
  uint64_t Base = 0; ///< the payload's address in the target
  /// The instruction by which the stopped thread makes system calls: the one
  /// where it stopped, or one in the C library.
  uint64_t SystemCall = 0;
};

} // namespace tpctl

#endif
