// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Choice.h. Threads are observed through /proc, which does not disturb
// them. Only one thread is stopped. The other threads keep running.
//
// If a system call is restarted, its time limit starts again. So a thread in
// such a call is chosen only if its wait began at most a few milliseconds ago:
// the thread had fewer context switches when it was checked before.

#include "Choice.h"

#include "Payload.h"
#include "Waits.h"
#include "shared/Mappings.h"
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

/// How much longer a repeated call may wait than its time limit. A thread that
/// was stopped but not chosen is left alone for a while: Each stop restarts the
/// thread's wait, so the wait would never reach its limit.
constexpr auto Young = milliseconds(5), LimitPause = milliseconds(100);
constexpr auto StopPatience = milliseconds(100);
/// How long to search for a waiting thread before a computing thread is
/// stopped.
constexpr auto WaitPatience = milliseconds(50);
/// The least and the longest pause between two such stops. After a long stop,
/// the pause is this many times as long as the stop.
constexpr auto LeastPause = milliseconds(5), MostPause = milliseconds(200);
constexpr int PausePerStop = 9;
/// On busy processors, a stop and the pause after it are long. In a process
/// that mostly computes, tpctl makes at least this many stops before it gives
/// up, and for this waits at most this much longer.
constexpr int LeastStops = 25;
constexpr auto MostPatience = std::chrono::seconds(20);

/// States that a thread may be in for only a moment.
constexpr char Runs[] = "runs", GoneOn[] = "has just continued",
               Unstoppable[] = "cannot be stopped, or receives signals";

/// Whether glibc's allocator calls functions of the program while it holds its
/// locks (<malloc.h>, before glibc 2.34).
bool hasHooks(const Image &Target) {
  auto valueOf = [&](const char *Name) {
    uint64_t Value = 0;
    auto [Address, Bytes] = Target.Library->findVariable(Target.memory(), Name);
    return Address && !Target.memory().read(Address, Value) ? ~uint64_t{0}
                                                            : Value;
  };
  const uint64_t Morecore = valueOf("__morecore");
  return valueOf("__after_morecore_hook") ||
         (Morecore && !Target.Library->contains(Target.memory(), Morecore));
}

/// Whether a module before the C library defines any function of the allocator,
/// so that pthread_create() calls that function. Some modules wrap malloc() and
/// free() of the C library but do not define calloc(). libc_malloc_debug.so.0
/// defines only older versions of the symbols, but the loader uses them all the
/// same.
bool hasOtherAllocator(const Image &Target) {
  if (Target.isSplit() && hasHooks(Target))
    return true;
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
  std::optional<bool> isMostlyOutside(pid_t Thread);
  void rest(Clock::duration Stopped);
  bool hasJustBegun(pid_t Thread);
  Expected<std::unique_ptr<Tracee>> take(const Candidate &C);
  bool isSuitable(const Candidate &C, const Tracee &T);
  bool isAtCall(const Registers &R) const;
  bool runs(pid_t Thread);
  bool isWhereItWas(const Candidate &C, const Registers &R) const;
  bool isIn(const Module &M, uint64_t Place);
  bool isInLibrary(uint64_t Place);
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
  /// The values when the threads were first seen running.
  std::map<pid_t, ThreadTimes> FirstTimes;
  Clock::time_point NextComputing = Clock::now() + WaitPatience;
  Clock::duration Pause = LeastPause;
  int Stops = 0;                 ///< of threads that compute
  int Rounds = 0, Running = 0;   ///< checks, and those that saw a thread run
  std::set<std::string> Reasons; ///< why threads were not selected
  /// The last reasons that are not a momentary state of a thread.
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

/// A thread that runs in a system call looks like a computing one. A stop may
/// end a running call early, so that the call reads or writes less than without
/// the stop. So a suitable thread is seldom in the kernel. This share is
/// measured since the thread was first seen here, over at least LeastTicks:
/// the thread's earlier life says nothing about what it does now. Returns
/// nothing if the thread has not run for so long.
std::optional<bool> Chooser::isMostlyOutside(pid_t Thread) {
  constexpr uint64_t LeastTicks = 10;
  ThreadTimes Now = timesOf(Pid, Thread);
  ThreadTimes &Since = FirstTimes[Thread];
  // The number of an ended thread may be that of a new one now.
  if (Now.Outside < Since.Outside || Now.InKernel < Since.InKernel)
    Since = Now;
  uint64_t Outside = Now.Outside - Since.Outside;
  uint64_t InKernel = Now.InKernel - Since.InKernel;
  if (Outside + InKernel < LeastTicks)
    return std::nullopt;
  return InKernel * 3 <= Outside;
}

void Chooser::rest(Clock::duration Stopped) {
  auto Length =
      std::clamp<Clock::duration>(PausePerStop * Stopped, Pause, MostPause);
  NextComputing = std::max(NextComputing, Clock::now() + Length);
}

/// The threads that are least disturbed by a stop come first.
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
      if (!Computing)
        continue;
      if (auto Outside = isMostlyOutside(Thread); Outside && !*Outside)
        Reasons.insert("runs in the kernel for more than a quarter of its "
                       "time, and its system calls could return early");
      else if (Outside)
        Found.push_back({Thread, {}, Wait::None});
      continue;
    }
    Wait Kind = waitOf(Pid, *Call, Target.Kind, Alien);
    if (Kind == Wait::Unsuitable && Alien &&
        waitOf(Pid, *Call, Target.Kind, /*Alien=*/false) != Wait::Unsuitable)
      Reasons.insert("may be waiting in the program's own allocator");
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

// --- checks on a stopped thread ---------------------------------------------

/// Whether the thread pointer is that of the C library's thread. `Id` is the
/// thread's number in its own namespace.
bool Chooser::isOwnThread(pid_t Thread, const Registers &R, uint32_t &Id) {
  // Offsets in struct pthread; musl's is that of version 1.2.
  bool OfMusl = Target.Kind == CLibrary::Musl;
  uint64_t SelfAt = OfMusl ? 0 : 0x10, IdAt = OfMusl ? 48 : 0x2d0;
  uint64_t Pointer = threadPointerOf(R), Self = 0;
  uint32_t Stored = 0;
  Id = numberInside(Thread);
  if (!Id || !Target.memory().read(Pointer + SelfAt, Self) || Self != Pointer)
    return false;
  // libpthread.so.0 stores the first thread's number.
  if (!Target.hasThreads())
    return Thread == Pid;
  return Target.memory().read(Pointer + IdAt, Stored) && Stored == Id;
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

/// Also true if the answer is unknown. A program that uses large pages for code
/// replaces its mappings, and the new ones have no path. A library that is
/// loaded twice, by dlmopen(), has the same path twice.
bool Chooser::isIn(const Module &M, uint64_t Place) {
  if (M.contains(Target.memory(), Place))
    return true;
  const Mapping *Own = mappingAt(Mappings, M.Bias);
  const Mapping *There = mappingAt(Mappings, Place);
  return !Own || !There || (!There->Path.empty() && Own->Path == There->Path);
}

bool Chooser::isInLibrary(uint64_t Place) {
  return isIn(*Target.Library, Place) ||
         any_of(Target.Parts, [&](const Module *M) { return isIn(*M, Place); });
}

/// Looks for a signal's frame on the stack, from the stack pointer to the
/// mapping's end. It may also find the remains of an old frame. So a suitable
/// thread may be refused, but an unsuitable thread is never chosen.
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
    if (!Code || !Code->IsCode)
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
    return Reasons.insert("was not created by the C library"), false;
  // In musl, the library and the loader are one file, and its locks name no
  // owner. Constructors of libraries run without the loader's lock there. A
  // thread that holds the lock makes none of the accepted system calls, except
  // read() of a library's file. In that case, pthread_create() waits for the
  // lock, and tpctl gives up the attempt.
  if (Target.Kind == CLibrary::Glibc &&
      (isIn(*Target.Loader, placeOf(R)) || holdsLoaderLock(Id) ||
       !Target.isConsistent()))
    return Reasons.insert("loads or unloads a library"), false;
  if (isInHandler(R))
    return Reasons.insert("is in a signal handler, or was recently"), false;
  if (C.Kind == Wait::None && isInLibrary(placeOf(R)))
    return Reasons.insert("executes code of the C library"), false;
  if (C.Kind == Wait::None && isRestartable(T))
    return Reasons.insert("may be in a restartable sequence (rseq)"), false;
  return true;
}

bool Chooser::runs(pid_t Thread) {
  return stateOf(Thread) == 'R' && !callOf(Pid, Thread, Code);
}

/// A thread that was just seen outside a system call may be in any call when it
/// stops. If the stop ended this call, the call is always restarted: no signal
/// has arrived, so the call has only just begun to wait.
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

/// On busy processors, a thread that was stopped may still look running right
/// afterwards.
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
      ": no thread waits where it could load libtprt" + Text +
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
      // If a thread has ended meanwhile, the error is not reported.
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
