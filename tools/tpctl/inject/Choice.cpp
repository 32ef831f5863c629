// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Choice.h. Threads are looked at through /proc, which disturbs nobody. One
// thread alone is stopped, so the others run on.
//
// A call that is begun again has its time limit anew. So such a thread is only
// taken if its wait began a few milliseconds ago: it was seen with fewer
// switches before.

#include "Choice.h"

#include "Payload.h"
#include "Waits.h"
#include "shared/Processes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <map>
#include <set>
#include <sys/syscall.h>
#include <thread>

using namespace llvm;
using std::chrono::microseconds;
using std::chrono::milliseconds;

namespace tpctl {
namespace {

/// How much longer a repeated call may wait than it was asked to.
/// A thread that was not taken is left alone for a while: each stop makes it
/// begin to wait, and it would never reach its limit.
constexpr auto Young = milliseconds(5), LimitPause = milliseconds(100);
constexpr auto StopPatience = milliseconds(100);
/// For how long threads that wait are looked for, before one that computes is
/// stopped.
constexpr auto WaitPatience = milliseconds(50);
/// The times between two such stops. A stop that was long is followed by a
/// pause that is so many times as long.
constexpr auto LeastPause = milliseconds(5), MostPause = milliseconds(200);
constexpr int PausePerStop = 9;
/// On busy processors a stop takes long, and the pause after it. So many times
/// a thread is stopped in a process that mostly computes before the process is
/// given up, for so much longer.
constexpr int LeastStops = 25;
constexpr auto MostPatience = std::chrono::seconds(20);

/// What a thread may do for a moment.
constexpr char Runs[] = "runs", GoneOn[] = "has just gone on",
               Unstoppable[] = "cannot be stopped, or gets signals";

/// Whether a module that comes before the C library defines any function of the
/// allocator, so that pthread_create() calls it. Some define malloc() and
/// free() around the C library's, and no calloc(). libc_malloc_debug.so.0
/// defines older versions alone, which the loader takes nevertheless.
bool hasOtherAllocator(const Image &Target) {
  for (const Module &M : Target.Modules) {
    if (&M == Target.Library)
      return false;
    for (const char *Name : {"malloc", "calloc", "realloc", "free"})
      if (M.defines(Target.memory(), Name))
        return true;
  }
  return false;
}

struct Candidate {
  pid_t Thread;
  CallOfThread Call;
  Wait Kind;
};

class Chooser {
public:
  explicit Chooser(const Image &Target)
      : Target(Target), Pid(Target.memory().Pid) {}
  Expected<std::unique_ptr<Tracee>> choose(Clock::time_point Deadline);

private:
  struct Sample {
    std::string Switches;
    Clock::time_point When, NotBefore;
  };

  std::vector<Candidate> candidates();
  bool mayStopComputing();
  bool isMostlyOutside(pid_t Thread);
  void rest(Clock::duration Stopped);
  bool hasJustBegun(pid_t Thread);
  Expected<std::unique_ptr<Tracee>> take(const Candidate &C);
  bool isSuitable(const Candidate &C, const Tracee &T);
  bool isAtCall(const Registers &R) const;
  bool runs(pid_t Thread);
  bool isWhereItWas(const Candidate &C, const Registers &R) const;
  bool isIn(const Module &M, uint64_t Place);
  bool isRestartable(const Tracee &T) const;
  bool isOwnThread(pid_t Thread, const Registers &R, uint32_t &Id);
  bool holdsLoaderLock(uint32_t Id);
  bool isInHandler(const Registers &R);
  Error refusal() const;

  const Image &Target;
  const pid_t Pid;
  const bool Alien = hasOtherAllocator(Target);
  std::vector<Mapping> Mappings;
  std::map<pid_t, Sample> Samples;
  /// As they were when the threads were first seen to run.
  std::map<pid_t, ThreadTimes> FirstTimes;
  Clock::time_point NextComputing = Clock::now() + WaitPatience;
  Clock::duration Pause = LeastPause;
  int Stops = 0;                 ///< of threads that compute
  int Rounds = 0, Running = 0;   ///< looks, and those that saw a thread run
  std::set<std::string> Reasons; ///< why threads were not taken
  /// The last ones that say more than what a thread does for a moment.
  std::set<std::string> Telling;
  int Code = 0; ///< errno of a thread that cannot be seen
};

bool Chooser::hasJustBegun(pid_t Thread) {
  std::string Now = statusField(Thread, "voluntary_ctxt_switches");
  auto When = Clock::now();
  Sample &Before = Samples[Thread];
  bool Begun = !Before.Switches.empty() && Before.Switches != Now &&
               When - Before.When < Young && When >= Before.NotBefore;
  Before.Switches = Now;
  Before.When = When;
  return Begun;
}

bool Chooser::mayStopComputing() {
  auto Now = Clock::now();
  if (Alien || Now < NextComputing)
    return false;
  NextComputing = Now + Pause;
  return true;
}

/// A thread that runs in a system call looks like one that computes. There are
/// calls that a stop ends while they run: they have read or written less then
/// than they would have. So a thread has to be seldom in the kernel: since it
/// was first seen here or, where that is less than a tick, in its life.
bool Chooser::isMostlyOutside(pid_t Thread) {
  ThreadTimes Now = timesOf(Pid, Thread);
  ThreadTimes Since = FirstTimes[Thread];
  if (Since.Outside == Now.Outside && Since.InKernel == Now.InKernel)
    Since = {};
  return (Now.InKernel - Since.InKernel) * 3 <= Now.Outside - Since.Outside;
}

void Chooser::rest(Clock::duration Stopped) {
  auto Length =
      std::clamp<Clock::duration>(PausePerStop * Stopped, Pause, MostPause);
  NextComputing = std::max(NextComputing, Clock::now() + Length);
}

/// Those that are disturbed least come first.
std::vector<Candidate> Chooser::candidates() {
  std::vector<Candidate> Found;
  bool Computing = mayStopComputing();
  for (pid_t Thread : threadsOf(Pid)) {
    auto Call = callOf(Pid, Thread, Code);
    if (!Call) {
      Reasons.insert(Alien ? "runs, and the allocator is the program's own, "
                             "not the C library's"
                           : Runs);
      if (!FirstTimes.count(Thread))
        FirstTimes[Thread] = timesOf(Pid, Thread);
      if (Computing && !isMostlyOutside(Thread))
        Reasons.insert("runs in the kernel for more than a quarter of its "
                       "time, and its system calls could return early");
      else if (Computing)
        Found.push_back({Thread, {}, Wait::None});
      continue;
    }
    Wait Kind = waitOf(Pid, *Call, Target.Kind, Alien);
    if (Kind == Wait::Unsuitable && Alien &&
        waitOf(Pid, *Call, Target.Kind, /*Alien=*/false) != Wait::Unsuitable)
      Reasons.insert("waits as the program's own allocator may wait, which is "
                     "not the C library's");
    else if (Kind == Wait::Unsuitable)
      Reasons.insert("is in system call " + std::to_string(Call->Number) +
                     ", which must not be interrupted");
    else if (Kind == Wait::RepeatsWithLimit && !hasJustBegun(Thread))
      Reasons.insert("waits with a time limit in a system call that would not "
                     "keep it; a process that wakes up soon can be taken then");
    else
      Found.push_back({Thread, *Call, Kind});
  }
  llvm::stable_sort(Found, [](const Candidate &A, const Candidate &B) {
    return A.Kind < B.Kind;
  });
  return Found;
}

// --- checks on a thread that is stopped --------------------------------------

/// Whether the thread pointer is that of the C library's thread. `Id` is the
/// thread's number in its own namespace.
bool Chooser::isOwnThread(pid_t Thread, const Registers &R, uint32_t &Id) {
  // Of struct pthread; musl's is that of 1.2.
  bool OfMusl = Target.Kind == CLibrary::Musl;
  uint64_t SelfAt = OfMusl ? 0 : 0x10, IdAt = OfMusl ? 48 : 0x2d0;
  uint64_t Pointer = threadPointerOf(R), Self = 0;
  uint32_t Stored = 0;
  Id = numberInside(Thread);
  return Id && Target.memory().read(Pointer + SelfAt, Self) &&
         Self == Pointer && Target.memory().read(Pointer + IdAt, Stored) &&
         Stored == Id;
}

/// The loader's locks are recursive mutexes, which name their owner.
bool Chooser::holdsLoaderLock(uint32_t Id) {
  auto [Address, Bytes] =
      Target.Loader->findVariable(Target.memory(), "_rtld_global");
  std::vector<uint32_t> Words(Bytes / sizeof(uint32_t));
  if (Words.size() < 5 ||
      !Target.memory().read(Address, Words.data(), Words.size() * 4))
    return true;
  constexpr uint32_t Recursive = 1;
  // Words of a mutex: lock, count, owner, users, kind.
  for (size_t I = 0; I + 4 < Words.size(); ++I)
    if (Words[I] && Words[I + 1] && Words[I + 2] == Id &&
        Words[I + 4] == Recursive)
      return true;
  return false;
}

/// Also true if it cannot be known. Programs that use large pages for code
/// replace what is mapped, so that it has no path any more. A library that is
/// loaded twice, by dlmopen(), has the same path twice.
bool Chooser::isIn(const Module &M, uint64_t Place) {
  if (M.contains(Target.memory(), Place))
    return true;
  const Mapping *Own = mappingAt(Mappings, M.Bias);
  const Mapping *There = mappingAt(Mappings, Place);
  return !Own || !There || (!There->Path.empty() && Own->Path == There->Path);
}

/// Looks for the frame of a signal on the stack, from the stack pointer to the
/// mapping's end. A frame that is there no more may be found, too, so a thread
/// may be refused without need; none is taken wrongly.
bool Chooser::isInHandler(const Registers &R) {
  constexpr uint64_t Most = 16 << 20;
  uint64_t Stack = stackOf(R) & ~7ull;
  const Mapping *M = mappingAt(Mappings, Stack);
  if (!M || M->End - Stack > Most)
    return true;
  std::vector<uint64_t> Words((M->End - Stack) / 8);
  if (!Target.memory().read(Stack, Words.data(), Words.size() * 8))
    return true;
  std::map<uint64_t, bool> Known;
  for (size_t I = 0; I + FrameWords < Words.size(); ++I) {
    const Mapping *Code = mappingAt(Mappings, Words[I]);
    if (!Code || !Code->Executable)
      continue;
    auto [It, New] = Known.try_emplace(Words[I], false);
    uint8_t Bytes[RestorerBytes];
    if (New && Target.memory().read(Words[I], Bytes))
      It->second = isRestorer(Bytes);
    if (It->second && isSignalFrame(&Words[I], Stack + 8 * I))
      return true;
  }
  return false;
}

bool Chooser::isAtCall(const Registers &R) const {
  uint8_t Before[SystemCallBytes];
  return isInSystemCall(R) &&
         Target.memory().read(placeOf(R) - SystemCallBytes, Before) &&
         isSystemCall(Before);
}

bool Chooser::isWhereItWas(const Candidate &C, const Registers &R) const {
  if (C.Kind == Wait::None)
    return computes(R);
  return isAtCall(R) && placeOf(R) == C.Call.Place &&
         stackOf(R) == C.Call.Stack;
}

/// Whether the thread may be inside a restartable sequence.
bool Chooser::isRestartable(const Tracee &T) const {
  constexpr uint64_t SequenceAt = 8; // rseq_cs of struct rseq
  auto Shared = T.restartable();
  uint64_t Sequence = 0;
  return !Shared ||
         (*Shared &&
          (!Target.memory().read(*Shared + SequenceAt, Sequence) || Sequence));
}

bool Chooser::isSuitable(const Candidate &C, const Tracee &T) {
  const Registers &R = T.first();
  uint32_t Id = 0;
  if (!isWhereItWas(C, R))
    return Reasons.insert(GoneOn), false;
  Mappings = mappingsOf(Pid);
  if (!isOwnThread(C.Thread, R, Id))
    return Reasons.insert("is not a thread of the C library's"), false;
  // In musl, the library and the loader are one file, whose locks name no
  // owner. Constructors of libraries run without the loader's lock there. A
  // thread that has that lock makes none of the system calls that are taken,
  // except read() of a library's file; then pthread_create() waits for the
  // lock, and is given up.
  if (Target.Kind == CLibrary::Glibc &&
      (isIn(*Target.Loader, placeOf(R)) || holdsLoaderLock(Id) ||
       !Target.isConsistent()))
    return Reasons.insert("loads or unloads a library"), false;
  if (isInHandler(R))
    return Reasons.insert("is in a handler of a signal, or was lately"), false;
  if (C.Kind == Wait::None && isIn(*Target.Library, placeOf(R)))
    return Reasons.insert("computes in the C library"), false;
  if (C.Kind == Wait::None && isRestartable(T))
    return Reasons.insert("may be in a restartable sequence (rseq)"), false;
  return true;
}

bool Chooser::runs(pid_t Thread) {
  return stateOf(Thread) == 'R' && !callOf(Pid, Thread, Code);
}

/// A thread that was seen elsewhere right before may be in any call when it
/// stops. If the stop has ended this call, the call is begun again, whatever
/// happens to the thread: no signal has come, so the call's wait has just
/// begun.
Expected<std::unique_ptr<Tracee>> Chooser::take(const Candidate &C) {
  if (C.Kind == Wait::None && !runs(C.Thread))
    return nullptr;
  if (C.Kind == Wait::RepeatsWithLimit)
    Samples[C.Thread].NotBefore = Clock::now() + LimitPause;
  auto T = Tracee::stop(C.Thread, StopPatience);
  if (!T)
    return T;
  if (!*T)
    return Reasons.insert(Unstoppable), nullptr;
  Stops += C.Kind == Wait::None;
  if (C.Kind == Wait::None && isInSystemCall((*T)->first()))
    Pause = std::min<Clock::duration>(2 * Pause, MostPause);
  if (isAtCall((*T)->first()) && resultOf((*T)->first()) == -EINTR)
    (*T)->restartAtEnd();
  if (!isSuitable(C, **T))
    return nullptr;
  return T;
}

/// A thread that was stopped may be seen to run right after, where the
/// processors are busy.
static std::set<std::string> lastingOf(std::set<std::string> Reasons) {
  for (const char *Momentary : {Runs, GoneOn, Unstoppable})
    Reasons.erase(Momentary);
  return Reasons;
}

Error Chooser::refusal() const {
  std::string Text;
  for (const std::string &Reason : Telling.empty() ? Reasons : Telling)
    Text += "; a thread " + Reason;
  return createStringError(
      "process " + Twine(Pid) +
      ": no thread waits in a way that libtprt could be loaded from" + Text +
      ": try again, or start the program by tpctl VERB ... -- COMMAND");
}

Expected<std::unique_ptr<Tracee>> Chooser::choose(Clock::time_point Deadline) {
  auto Latest = Deadline + MostPatience;
  while (
      Clock::now() < Deadline ||
      (2 * Running > Rounds && Stops < LeastStops && Clock::now() < Latest)) {
    Reasons.clear();
    ++Rounds;
    for (const Candidate &C : candidates()) {
      auto Begin = Clock::now();
      auto T = take(C);
      if (C.Kind == Wait::None)
        rest(Clock::now() - Begin);
      // A thread that ends meanwhile is nothing to speak of.
      if (!T && T.errorIsA<PtraceFailure>()) {
        int Failed = 0;
        handleAllErrors(T.takeError(),
                        [&](const PtraceFailure &F) { Failed = F.Code; });
        if (Failed == ESRCH)
          continue;
        return make_error<PtraceFailure>("ptrace", Failed);
      }
      if (!T || *T)
        return T;
    }
    Running += static_cast<int>(Reasons.count(Runs));
    if (auto Lasting = lastingOf(Reasons); !Lasting.empty())
      Telling = Lasting;
    if (Code == EACCES || Code == EPERM)
      return make_error<PtraceFailure>("/proc/PID/syscall", Code);
    if (char State = stateOf(Pid); !State || State == 'Z' || State == 'X')
      return createStringError("process " + Twine(Pid) + " has ended");
    std::this_thread::sleep_for(microseconds(500));
  }
  return refusal();
}

} // namespace

Expected<std::unique_ptr<Tracee>> chooseThread(const Image &Target,
                                               Clock::time_point Deadline) {
  return Chooser(Target).choose(Deadline);
}

} // namespace tpctl
