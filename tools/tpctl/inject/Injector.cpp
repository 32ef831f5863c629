// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Injector.h. This file contains the steps before a thread of the target is
// stopped, and the steps while the new thread runs.

#include "Injector.h"
#include "Refusals.h"
#include "shared/Launch.h"
#include "shared/Processes.h"
#include "tprt/control_wire.h"
#include <fcntl.h>
#include <thread>
#include <unistd.h>

using namespace llvm;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace tpctl {

static constexpr auto ChoicePatience = seconds(3);
/// Measured by the process's own time, see FairClock.h. A thread that computes
/// for this long is expected never to end.
static constexpr auto LoadPatience = seconds(15);
/// The limit on a machine that never gives the process a processor.
static constexpr auto MostWait = std::chrono::minutes(10);

namespace {

/// Blocks signals, so that Ctrl-C does not stop the injection in the middle.
class SignalsBlocked {
public:
  SignalsBlocked() {
    sigset_t All;
    sigfillset(&All);
    pthread_sigmask(SIG_SETMASK, &All, &Before);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &Before, nullptr); }
  SignalsBlocked(const SignalsBlocked &) = delete;

private:
  sigset_t Before;
};

} // namespace

/// The system call instruction in the C library's syscall().
uint64_t Injector::findSystemCall() const {
  uint8_t Code[128];
  uint64_t Begin = Target.Library->find(Memory, "syscall");
  if (!Begin || !Memory.read(Begin, Code))
    return 0;
  for (size_t At = 0; At + SystemCallBytes <= sizeof Code; ++At)
    if (isSystemCall(Code + At))
      return Begin + At;
  return 0;
}

Error Injector::fillBlock() {
  using Functions =
      std::initializer_list<std::pair<uint64_t InjectBlock::*, const char *>>;
  const Functions Always = {{&InjectBlock::PthreadSelf, "pthread_self"},
                            {&InjectBlock::ErrnoLocation, "__errno_location"},
                            {&InjectBlock::Munmap, "munmap"}};
  const Functions Own = {{&InjectBlock::PthreadCreate, "pthread_create"},
                         {&InjectBlock::PthreadDetach, "pthread_detach"},
                         {&InjectBlock::Dlopen, "dlopen"},
                         {&InjectBlock::Dlsym, "dlsym"},
                         {&InjectBlock::Dlerror, "dlerror"}};
  const Functions Loading = {{&InjectBlock::LibcOpen, "__libc_dlopen_mode"},
                             {&InjectBlock::LibcSymbol, "__libc_dlsym"}};
  for (const Functions &Each : {Always, Target.isSplit() ? Loading : Own})
    for (auto [Member, Name] : Each)
      if (!(Block.*Member = Target.Library->find(Memory, Name)))
        return createStringError("process " + Twine(Pid) +
                                 ": its C library has no " + Name);
  strcpy(Block.ThreadsName, "libpthread.so.0");
  strcpy(Block.FunctionsName, "libdl.so.2");
  strcpy(Block.CreateName, "pthread_create");
  strcpy(Block.DetachName, "pthread_detach");
  strcpy(Block.OpenName, "dlopen");
  strcpy(Block.SymbolName, "dlsym");
  strcpy(Block.OpenErrorName, "dlerror");
  SystemCall = findSystemCall();
  if (!SystemCall)
    return createStringError("process " + Twine(Pid) +
                             ": its C library has no syscall");
  Block.ControlStart = Target.find("tprt_control_start");
  Block.ErrorString = Target.find("tprt_error_string");
  strcpy(Block.FileName, "libtprt.so");
  // If the first thread has ended, /proc/self shows no files.
  strcpy(Block.Folder, "/proc/thread-self/fd/./");
  strcpy(Block.LinkName, "/memfd:libtprt.so");
  strcpy(Block.StartName, "tprt_control_start");
  strcpy(Block.ErrorName, "tprt_error_string");
  if (Block.ControlStart)
    return Error::success();
  auto Path = findLibrary();
  if (!Path)
    return Path.takeError();
  auto File = MemoryBuffer::getFile(*Path, /*IsText=*/false,
                                    /*RequiresNullTerminator=*/false);
  if (!File)
    return createStringError(*Path + ": " + File.getError().message());
  Library = std::move(*File);
  return hasProc(Pid) ? Error::success() : placeFile();
}

Expected<std::string> Injector::findLibrary() {
  if (Target.Kind == CLibrary::Musl) {
    auto Path = findRuntime(RuntimeForMusl);
    if (Path)
      return Path;
    return joinErrors(
        createStringError("process " + Twine(Pid) +
                          " uses musl, and tpctl is installed without the "
                          "libtprt for musl (it is built where musl-tools is)"),
        Path.takeError());
  }
  // This library is missing if the installation cannot decode uninstrumented
  // code.
  auto Path = findRuntime("tp/libtprt-inject.so");
  if (Path)
    return Path;
  consumeError(Path.takeError());
  return findRuntime();
}

Error Injector::placeFile() {
  auto Made = RootFile::make(Pid, Library->getBuffer());
  if (!Made)
    return Made.takeError();
  Placed = std::move(*Made);
  if (Placed->path().size() >= sizeof Block.Path)
    return createStringError(Placed->path() + ": the path is too long");
  strcpy(Block.Path, Placed->path().c_str());
  Block.HasPath = 1;
  return Error::success();
}

// --- while the new thread runs -----------------------------------------------

Error Injector::said(const InjectBlock &Now) {
  std::string Head = "process " + std::to_string(Pid) + ": ";
  switch (Now.Failure) {
  case InjectFailure::None:
    return Error::success();
  case InjectFailure::NoFile:
    return createStringError(
        Head + "no memory file can be made there: " + strerror(Now.Code));
  case InjectFailure::NotFilled:
    return createStringError(Head + "its new thread gave up waiting for tpctl");
  case InjectFailure::NotLoaded:
    return createStringError(
        Head + "its loader refuses libtprt: " + Now.Text +
        (Placed ? "" : " (it is loaded from /proc/thread-self/fd)"));
  case InjectFailure::NoStart:
    return createStringError(Head + "its libtprt has no tprt_control_start()");
  case InjectFailure::NotStarted:
    return createStringError(Head + Now.Text);
  }
  return Error::success();
}

/// Called if the block can no longer be read. If tpctl does not see the last
/// stage, for example because tpctl was stopped, the new thread unmaps the
/// block after two seconds. In that case, the injection succeeded if the
/// control's thread exists.
Error Injector::withoutBlock(Stage Wanted) {
  if (Memory.isGone())
    return make_error<PtraceFailure>("its memory is gone", ESRCH);
  std::error_code Code;
  if (Wanted == Stage::Started &&
      threadNamed(Pid, TPRT_CONTROL_THREAD_NAME, Code))
    return Error::success();
  return createStringError("process " + Twine(Pid) +
                           ": its new thread gave up waiting for tpctl, and "
                           "libtprt has not started in the process; try again");
}

Error Injector::awaitStage(Stage Wanted, FairClock &Waited) {
  auto End = Clock::now() + MostWait;
  while (Waited.elapsed() < LoadPatience && Clock::now() < End) {
    if (!Memory.read(Base + BlockAt, Block))
      return withoutBlock(Wanted);
    if (Block.Reached == Stage::Failed)
      return said(Block);
    if (Block.Reached >= Wanted)
      return Error::success();
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  return notEnded(Waited);
}

/// Explains why the new thread has not ended. The thread computes, for example
/// in a library's constructor that never returns, or it waits.
Error Injector::notEnded(FairClock &Waited) const {
  std::string Head =
      "process " + std::to_string(Pid) + ": its new thread has not ended";
  if (Waited.elapsed() < LoadPatience)
    return createStringError(Head + " in " + Twine(MostWait.count()) +
                             " minutes: the machine is too busy");
  for (pid_t Thread : threadsOf(Pid))
    if (numberInside(Thread) == static_cast<uint32_t>(Block.ThreadId) &&
        2 * processorTimesOf(Pid, Thread).Ran > LoadPatience)
      return createStringError(Head + ", although it has computed for " +
                               Twine(LoadPatience.count() / 2) + " s and more");
  return createStringError(Head +
                           ": a thread of the process may hold the loader's "
                           "lock, because it is loading a library itself");
}

Error Injector::fillFile() {
  std::string Path = procPath(Pid, "fd/" + Twine(Block.File));
  int File = open(Path.c_str(), O_WRONLY | O_CLOEXEC);
  if (File < 0)
    return createStringError(Path + ": " + strerror(errno));
  StringRef Left = Library->getBuffer();
  ssize_t Written = 1;
  while (!Left.empty() && (Written = write(File, Left.data(), Left.size())) > 0)
    Left = Left.drop_front(static_cast<size_t>(Written));
  int Code = errno;
  close(File);
  if (!Left.empty())
    return createStringError(Path + ": " + strerror(Code));
  set(&InjectBlock::Filled, 1u);
  return Error::success();
}

Error Injector::follow() {
  FairClock Waited(Pid);
  if (Library && !Placed) {
    if (Error E = awaitStage(Stage::FileMade, Waited))
      return E;
    if (Error E = fillFile())
      return E;
  }
  return awaitStage(Stage::Started, Waited);
}

/// Waits until the new thread has unmapped the payload, so that nothing remains
/// there after the end of tpctl.
void Injector::dismiss() {
  if (!set(&InjectBlock::Seen, 1u))
    return;
  FairClock Waited(Pid);
  auto End = Clock::now() + MostWait;
  InjectBlock Now;
  while (Waited.elapsed() < milliseconds(500) && Clock::now() < End &&
         Memory.read(Base + BlockAt, Now) &&
         Now.ThreadEntry == Block.ThreadEntry)
    std::this_thread::sleep_for(milliseconds(1));
}

Expected<Injection> Injector::run() {
  Injection Done;
  if (Error E = fillBlock())
    return E;
  {
    SignalsBlocked Blocked;
    auto T = chooseThread(Target, Clock::now() + ChoicePatience);
    if (!T)
      return T.takeError();
    // The thread waits outside the loader, so the list is complete.
    Stale = !Target.isCurrent();
    Error E = Stale ? Error::success() : plant(**T);
    auto Stopped = (*T)->release();
    if (!Stopped)
      E = joinErrors(std::move(E), Stopped.takeError());
    if (E)
      return E;
    Done.Stopped = *Stopped;
  }
  if (Stale)
    return Done;
  Done.Loaded = Library != nullptr;
  Error E = follow();
  dismiss();
  if (E)
    return E;
  return Done;
}

} // namespace tpctl
