// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Inject.h. In this order:
//
// 1. Refuse what cannot work, before anything is changed.
// 2. Stop one thread that waits in a system call (Choice.h).
// 3. By that thread: map memory, put the payload there, call pthread_create.
// 4. Restore that thread and let it go on.
// 5. The new thread makes a memory file. tpctl writes libtprt into it. Where no
//    /proc is mounted, tpctl has made a file before (RootFile.h).
// 6. The new thread loads it, calls tprt_control_start(), unmaps the payload,
//    and ends.

#include "Inject.h"

#include "Choice.h"
#include "Payload.h"
#include "Refusals.h"
#include "RootFile.h"
#include "Waits.h"
#include "shared/Launch.h"
#include "shared/Processes.h"
#include "tprt/control_wire.h"
#include "llvm/Support/MemoryBuffer.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace llvm;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace tpctl {
namespace {

constexpr auto ChoicePatience = seconds(3);
constexpr auto CreatePatience = seconds(2), MostCreatePatience = seconds(20);
constexpr auto LoadPatience = seconds(15), MostLoadPatience = seconds(60);

/// The payload's memory: a page of code, the block, and a stack. A signal's
/// frame is at the block's end, see Machine.h.
constexpr uint64_t PageBytes = 4096;
constexpr uint64_t BlockAt = PageBytes, FrameAt = BlockAt + PageBytes;
constexpr uint64_t StackAt = FrameAt + 4 * PageBytes;
constexpr uint64_t PayloadBytes = StackAt + 32 * PageBytes;

/// So that Ctrl-C does not leave a thread half-way.
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

class Injector {
public:
  explicit Injector(const Image &Target)
      : Target(Target), Memory(Target.memory()), Pid(Memory.Pid) {}
  Expected<Injection> run();
  /// Whether run() has done nothing, as modules have come or gone since they
  /// were read.
  bool isStale() const { return Stale; }

private:
  Error fillBlock();
  Error placeFile();
  Error plant(Tracee &T);
  Error mapPayload(Tracee &T);
  Error startThread(Tracee &T);
  bool isHeldUp() const;
  bool mayGoOn(const Tracee &T, Clock::time_point End);
  Error failedToCreate(Tracee &T);
  Error remoteFailure(StringRef What, int64_t Result);
  Error awaitStage(Stage Wanted, Clock::time_point Deadline);
  Error withoutBlock(Stage Wanted);
  Error fillFile();
  Expected<std::string> findLibrary();
  Error follow();
  Error said(const InjectBlock &Now);
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
  std::unique_ptr<MemoryBuffer> Library;
  std::unique_ptr<RootFile> Placed; ///< where there is no /proc
  InjectBlock Block{};
  uint64_t Base = 0; ///< where the payload is in the target
  uint64_t SystemCall = 0;
};

Error Injector::fillBlock() {
  const std::pair<uint64_t InjectBlock::*, const char *> Functions[] = {
      {&InjectBlock::PthreadCreate, "pthread_create"},
      {&InjectBlock::PthreadSelf, "pthread_self"},
      {&InjectBlock::PthreadDetach, "pthread_detach"},
      {&InjectBlock::ErrnoLocation, "__errno_location"},
      {&InjectBlock::Dlopen, "dlopen"},
      {&InjectBlock::Dlsym, "dlsym"},
      {&InjectBlock::Dlerror, "dlerror"},
      {&InjectBlock::Munmap, "munmap"}};
  for (auto [Member, Name] : Functions)
    if (!(Block.*Member = Target.Library->find(Memory, Name)))
      return createStringError("process " + Twine(Pid) +
                               ": its C library has no " + Name);
  Block.ControlStart = Target.find("tprt_control_start");
  Block.ErrorString = Target.find("tprt_error_string");
  strcpy(Block.FileName, "libtprt.so");
  // Under /proc/self there are no files once the first thread has ended.
  strcpy(Block.Folder, "/proc/thread-self/fd/./");
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
  // It is not there if this installation cannot read code without sleds.
  auto Path = findRuntime("libtprt-inject.so");
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

// --- on the stopped thread ---------------------------------------------------

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
  // The page of code is never writable, as some systems forbid both.
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
        " may make no thread: it has called unshare(CLONE_NEWPID), and its "
        "children are in another namespace: choose one of them");
  if (Block.CreateError)
    return remoteFailure("pthread_create",
                         -static_cast<int64_t>(Block.CreateError));
  return createStringError("process " + Twine(Pid) +
                           ": pthread_create has waited for a lock for " +
                           Twine(CreatePatience.count()) +
                           " s and more, and was given up: try again");
}

/// Whether a thread wants a processor. It may be the one that is waited for, or
/// have the lock that this one waits for: processors can be busy with other
/// programs for seconds.
bool Injector::isHeldUp() const {
  for (pid_t Thread : threadsOf(Pid))
    if (char State = stateOf(Thread); State == 'R' || State == 'D')
      return true;
  return false;
}

/// Whether pthread_create is to have more time. It is given up if it waits for
/// a lock, has not been woken since the last question, and no thread that may
/// have the lock is held up. It is not given up anywhere else: in the
/// allocator, or while a thread is being made, that would break the program.
bool Injector::mayGoOn(const Tracee &T, Clock::time_point End) {
  int Code = 0;
  auto Call = callOf(Pid, T.thread(), Code);
  std::string Before = std::move(Switches);
  Switches = statusField(T.thread(), "voluntary_ctxt_switches");
  if (!Call || Call->Number != SYS_futex || stateOf(T.thread()) != 'S' ||
      Switches != Before)
    return true;
  return isHeldUp() && Clock::now() < End;
}

Error Injector::startThread(Tracee &T) {
  constexpr uint32_t NotReturned = ~0u;
  Block.CreateError = NotReturned;
  if (Error E = mapPayload(T))
    return E;
  auto Enter = forCall(T.first(), Base + callEntry(), Base + BlockAt,
                       Base + PayloadBytes, Base + FrameAt);
  auto End = Clock::now() + MostCreatePatience;
  // Once pthread_create runs, the payload stays until it has returned: a thread
  // that it has made may run there.
  MayUnmap = false;
  auto Returned =
      T.run(Enter, EndOfCall, CreatePatience, [&] { return mayGoOn(T, End); });
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

// --- beside the new thread ---------------------------------------------------

Error Injector::said(const InjectBlock &Now) {
  std::string Head = "process " + std::to_string(Pid) + ": ";
  switch (Now.Failure) {
  case InjectFailure::None:
    return Error::success();
  case InjectFailure::NoFile:
    return createStringError(
        Head + "no memory file can be made there: " + strerror(Now.Code));
  case InjectFailure::NotFilled:
    return createStringError(Head + "it has not waited for tpctl any longer");
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

/// The block cannot be read any more. The new thread unmaps it two seconds
/// after its last stage if tpctl has not seen that stage, as when tpctl was
/// stopped meanwhile. Whether that stage was the wanted one is seen by the
/// control.
Error Injector::withoutBlock(Stage Wanted) {
  if (Memory.isGone())
    return make_error<PtraceFailure>("its memory is gone", ESRCH);
  std::error_code Code;
  if (Wanted == Stage::Started &&
      threadNamed(Pid, TPRT_CONTROL_THREAD_NAME, Code))
    return Error::success();
  return createStringError("process " + Twine(Pid) +
                           ": its new thread has not waited for tpctl any "
                           "longer, and libtprt is not at work there: try "
                           "again");
}

Error Injector::awaitStage(Stage Wanted, Clock::time_point Deadline) {
  auto End = Clock::now() + MostLoadPatience;
  while (Clock::now() < Deadline || (Clock::now() < End && isHeldUp())) {
    if (!Memory.read(Base + BlockAt, Block))
      return withoutBlock(Wanted);
    if (Block.Reached == Stage::Failed)
      return said(Block);
    if (Block.Reached >= Wanted)
      return Error::success();
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  return createStringError(
      "process " + Twine(Pid) +
      ": its new thread has not come to its end: a thread of the process may "
      "hold the loader's lock, as it is loading a library itself");
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
  auto Deadline = Clock::now() + LoadPatience;
  if (Library && !Placed) {
    if (Error E = awaitStage(Stage::FileMade, Deadline))
      return E;
    if (Error E = fillFile())
      return E;
  }
  return awaitStage(Stage::Started, Deadline);
}

/// The new thread unmaps the payload. Waits for that, so that nothing is left
/// when tpctl has ended.
void Injector::dismiss() {
  if (!set(&InjectBlock::Seen, 1u))
    return;
  auto Deadline = Clock::now() + milliseconds(500),
       End = Clock::now() + seconds(20);
  InjectBlock Now;
  while ((Clock::now() < Deadline || (Clock::now() < End && isHeldUp())) &&
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
    // The thread waits outside of the loader, so the list is whole.
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

// --- the process that injects ------------------------------------------------

Expected<Injection> injectHere(pid_t Pid) {
  if (Error E = checkProcess(Pid))
    return explain(Pid, std::move(E));
  // A libtprt that is being loaded meanwhile must not get a second beside it.
  constexpr unsigned Tries = 20;
  for (unsigned Try = 0; Try < Tries; ++Try) {
    auto Target = Image::read(Pid);
    if (!Target)
      return Target.takeError();
    if (Error E = checkImage(*Target))
      return E;
    Injector I(*Target);
    auto Done = I.run();
    if (!Done)
      return explain(Pid, Done.takeError());
    if (!I.isStale())
      return Done;
  }
  return createStringError("process " + Twine(Pid) +
                           " loads and unloads libraries all the time: try "
                           "again");
}

/// What the child tells its parent; a text follows if it failed.
struct Outcome {
  bool Failed;
  Injection Done;
};

/// The child's part.
[[noreturn]] void injectAndTell(pid_t Pid, int Pipe) {
  setsid(); // not ended together with tpctl
  auto Done = injectHere(Pid);
  Outcome Told = {!Done, Done ? *Done : Injection()};
  std::string Message(reinterpret_cast<char *>(&Told), sizeof Told);
  if (!Done)
    Message += toString(Done.takeError());
  ssize_t Written = write(Pipe, Message.data(), Message.size());
  _exit(Written == static_cast<ssize_t>(Message.size()) ? 0 : 1);
}

std::string readAll(int Pipe) {
  std::string Message;
  char Piece[4096];
  for (ssize_t Got; (Got = read(Pipe, Piece, sizeof Piece)) > 0 ||
                    (Got < 0 && errno == EINTR);)
    Message.append(Piece, Got > 0 ? static_cast<size_t>(Got) : 0);
  return Message;
}

} // namespace

/// By a child, so that the thread is not left half-way if tpctl is killed.
Expected<Injection> inject(pid_t Pid) {
  int Pipe[2];
  if (pipe2(Pipe, O_CLOEXEC) != 0)
    return createStringError(Twine("pipe: ") + strerror(errno));
  pid_t Child = fork();
  if (Child == 0)
    injectAndTell(Pid, Pipe[1]);
  int Code = errno;
  close(Pipe[1]);
  std::string Message = readAll(Pipe[0]);
  close(Pipe[0]);
  while (Child > 0 && waitpid(Child, nullptr, 0) < 0 && errno == EINTR)
    ;
  if (Child < 0)
    return createStringError(Twine("fork: ") + strerror(Code));
  Outcome Told;
  if (Message.size() < sizeof Told)
    return createStringError("process " + Twine(Pid) +
                             ": the child that changes it was killed");
  memcpy(&Told, Message.data(), sizeof Told);
  if (Told.Failed)
    return createStringError(Message.substr(sizeof Told));
  return Told.Done;
}

} // namespace tpctl
