// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Injector.h. This file contains the steps on the stopped thread.

#include "Injector.h"
#include "Waits.h"
#include "shared/Processes.h"
#include <sys/mman.h>
#include <sys/syscall.h>

using namespace llvm;
using std::chrono::seconds;

namespace tpctl {

static constexpr auto CreatePatience = seconds(2);

Error Injector::remoteFailure(StringRef What, int64_t Result) {
  return createStringError(
      "process " + Twine(Pid) + ": " + What +
      " failed there: " + strerror(static_cast<int>(-Result)) +
      " (is there a limit on memory or threads, or a rule "
      "against code in memory?)");
}

Error Injector::mapPayload(Tracee &T) {
  constexpr uint64_t Private = MAP_PRIVATE | MAP_ANONYMOUS;
  auto Mapped = T.call(
      SystemCall, SYS_mmap,
      {0, PayloadBytes, PROT_READ | PROT_WRITE, Private, ~uint64_t{0}, 0});
  if (!Mapped)
    return Mapped.takeError();
  if (*Mapped < 0 && *Mapped > -4096)
    return remoteFailure("mmap", *Mapped);
  Base = static_cast<uint64_t>(*Mapped);
  // The page of code is never writable, because some systems forbid memory that
  // is both writable and executable.
  auto Code = T.call(SystemCall, SYS_mmap,
                     {Base, PageBytes, PROT_READ | PROT_EXEC,
                      Private | MAP_FIXED, ~uint64_t{0}, 0});
  if (!Code)
    return Code.takeError();
  if (*Code != *Mapped)
    return remoteFailure("mmap of code", *Code);
  Block.Begin = Base;
  Block.Bytes = PayloadBytes;
  Block.ThreadEntry = Base + threadEntry();
  auto Frame =
      signalFrame(T.first(), T.vectors(), T.blockedSignals(), Base + FrameAt);
  if (Frame.size() > StackAt - FrameAt || payloadCode().size() > PageBytes ||
      !Memory.write(Base, payloadCode().data(), payloadCode().size()) ||
      !Memory.write(Base + BlockAt, &Block, sizeof Block) ||
      !Memory.write(Base + FrameAt, Frame.data(), Frame.size()))
    return createStringError(
        "process " + Twine(Pid) +
        ": its memory cannot be written to: " + strerror(errno));
  return Error::success();
}

Error Injector::failedToCreate(Tracee &T) {
  if (Block.CreateError == EINVAL)
    return createStringError(
        "process " + Twine(Pid) +
        " cannot create threads, because it has called unshare(CLONE_NEWPID): "
        "give the pid of one of its children");
  if (Target.isSplit() && Block.CreateError == ELIBACC)
    return createStringError(
        "process " + Twine(Pid) +
        ": its loader cannot load libpthread.so.0 and libdl.so.2, which "
        "libtprt needs with a glibc before 2.34: start it by tpctl VERB ... -- "
        "COMMAND");
  if (Block.CreateError)
    return remoteFailure("pthread_create",
                         -static_cast<int64_t>(Block.CreateError));
  return createStringError("process " + Twine(Pid) +
                           ": pthread_create has waited for a lock for " +
                           Twine(CreatePatience.count()) +
                           " s or more, so tpctl gave up: try again");
}

/// Whether pthread_create gets more time. tpctl gives up if pthread_create
/// waits for a lock, has not been woken since the last check, and each thread
/// that may have the lock has had its time. In all other cases, tpctl does not
/// give up: in the allocator, or while a thread is being created, this would
/// break the program.
bool Injector::mayGoOn(const Tracee &T, FairClock &Waited) {
  int Code = 0;
  auto Call = callOf(Pid, T.thread(), Code);
  std::string Before = std::move(Switches);
  Switches = statusField(T.thread(), "voluntary_ctxt_switches");
  if (!Call || Call->Number != SYS_futex || stateOf(T.thread()) != 'S' ||
      Switches != Before)
    return true;
  return Waited.elapsed() < CreatePatience;
}

Error Injector::startThread(Tracee &T) {
  constexpr uint32_t NotReturned = ~0u;
  Block.CreateError = NotReturned;
  if (Error E = mapPayload(T))
    return E;
  auto Enter = forCall(T.first(), Base + callEntry(), Base + BlockAt,
                       Base + PayloadBytes, Base + FrameAt);
  FairClock Waited(Pid);
  // After pthread_create has begun, the payload stays until pthread_create has
  // returned, because the new thread may run in the payload.
  MayUnmap = false;
  auto Returned = T.run(Enter, EndOfCall, CreatePatience,
                        [&] { return mayGoOn(T, Waited); });
  if (!Returned)
    return Returned.takeError();
  if (!*Returned) {
    Block.CreateError = 0;
    return failedToCreate(T);
  }
  if (!Memory.read(Base + BlockAt, Block))
    return withoutBlock(Stage::None);
  MayUnmap = Block.CreateError;
  return Block.CreateError ? failedToCreate(T) : Error::success();
}

Error Injector::plant(Tracee &T) {
  if (isInSystemCall(T.first()))
    SystemCall = placeOf(T.first()) - SystemCallBytes;
  if (Error E = T.blockSignals())
    return E;
  Error E = startThread(T);
  bool Created = Base && !Block.CreateError && !E;
  if (Created)
    set(&InjectBlock::Restored, 1u);
  else if (Base && MayUnmap)
    consumeError(
        T.call(SystemCall, SYS_munmap, {Base, PayloadBytes}).takeError());
  return E;
}

} // namespace tpctl
