// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The port to the operating system: all that the core asks of one, and what the
// system calls in the core. os/<system>/ implements it. Plain data goes in and
// comes out.
//
// Each part says who in the core calls its functions, on which threads that may
// be, and with which locks:
//   "in hits"          also inside a hit: async-signal-safe, without a lock
//   "any thread"       thread-safe, not async-signal-safe, without the lock
//                      unless it says otherwise
//   "under the lock"   the caller has the runtime's lock (core/lock.h)
//   "at the start"     once, by the library's constructor (core/start.cpp)
// No function takes the runtime's lock. Where nothing else is said errno may
// change.
#ifndef TPRT_CORE_OS_H
#define TPRT_CORE_OS_H

#include "core/plain/array.h"
#include "core/plain/segment.h"
#include "tprt/tprt.h"

#include <elf.h>
#include <stddef.h>
#include <stdint.h>

namespace tprt {

// --- memory: os/linux/memory.cpp, in hits ------------------------------------
// Callers: what keeps memory (memory.cpp, array.cpp, and the thread's arrays in
// threads.cpp, counters.cpp, every.cpp), sites (modules.cpp) and stubs.

// Zeroed read-write pages, or nullptr. `bytes` is a multiple of the page size.
void *allocatePages(size_t bytes);
// The same for a large, sparsely used range, which costs address space only.
void *reservePages(size_t bytes);
void freePages(void *pages, size_t bytes);
// Makes these pages `wanted` bytes long, at another address if need be.
// nullptr: no memory, and they are as they were.
void *resizePages(void *pages, size_t bytes, size_t wanted);
// Makes pages that are about to be written present in one call rather than by a
// fault each. Does nothing for small ranges, or where the kernel can't.
void populatePages(void *memory, size_t bytes);
// Pages that more can be added to for ever, at the same addresses. What is not
// added yet costs nothing: neither memory (mlockall) nor the address space that
// RLIMIT_AS limits, nor a part of what may be committed
// (vm.overcommit_memory=2). So it is not reserved either: it lies where there
// is nothing for many GiB. nullptr: no memory.
void *startRange(size_t bytes);
// Makes a range of `bytes`, whole pages, one of at least `wanted`. False: no
// memory, or others took the addresses; it is as it was.
bool growRange(void *start, size_t &bytes, size_t wanted);

// Whether there is memory that this process can read, tried without a fault.
// Keeps errno. The flip engine asks so before it reads code.
bool isReadable(const void *address);
// Copies memory of this process, another thread's stack maybe, which may be
// unmapped at any time. False: it is not there, or the system does not let us.
// stays.cpp reads frames so.
bool peek(uint64_t address, void *to, size_t bytes);

// --- code: os/linux/text.cpp, maps.cpp; under the lock -----------------------
// Callers: textwriter.* for the flip engine, stubs.cpp and landings.cpp. Which
// bytes are stored, and in which order with which barriers, is the core's
// business (flip.h).

// A part of the address space with the same rights everywhere.
struct Mapping {
  uint64_t start, end;
  uint32_t rights; // PF_R, PF_W, PF_X
  // Code there may not be written: others would see it (a shared mapping), or
  // the kernel can't copy it (huge pages of hugetlbfs).
  bool fixed;

  bool isReadable() const { return rights & PF_R; }
};

// A module's code.
struct CodeMemory {
  Array<Segment> segments;
  // What the code is mapped as, while a CodeWriter is at it.
  mutable Array<Mapping> mappings;
  // What it is mapped with beside the usual protection: see
  // protectionByProperty() in arch.h.
  int guard;
  // For writing, once: from then on parts are joined again.
  mutable bool openedWhole;
  // Most of its pages were made private in one go.
  mutable bool copied;
};

// Opens one module's code for a batch of stores, and gives it back its
// protection at the end.
struct CodeWriter {
  const CodeMemory *code;
  bool writable;      // by ordinary stores
  int memory;         // or the descriptor of /proc/self/mem, -1
  size_t stores;      // expected: decides whether pages are copied beforehand
  uint64_t low, high; // the batch reads and writes between these addresses

  // First: what the batch's code is mapped as now goes to code->mappings. It
  // says which sites may be read and written, and which rights each page gets
  // back. False: no memory.
  bool look();
  // What forbids that the memory in `extent` is read and written.
  tprt_refusal judge(Extent extent) const;
  // If it isn't. False: this process may not write its code in any way known
  // here.
  bool open();
  // Where it is open and not writable. The kernel promises nothing of how more
  // than one byte arrives. False: it was not written.
  bool writeMemory(uint64_t address, uint64_t value, unsigned bytes) const;
  // Does nothing where it is not open.
  void close();

private:
  Extent partOf(const Segment &segment) const;
};

// Reserves exactly this range of address space, without memory; false if any
// of it is taken. makeWritable() maps zeroed read-write pages in a part of it
// that nothing uses.
bool reserveExactly(uint64_t start, size_t bytes);
bool makeWritable(uint64_t start, size_t bytes);
// Makes freshly filled pages executable and no longer writable, maybe by other
// pages with the same bytes. The caller publishes the code (arch.h).
bool protectCode(uint64_t address, size_t bytes);
// Maps zeroed read-write pages whose every byte lies within `reach` of all of
// [low, high); nullptr if there is no room.
void *allocateNear(uint64_t low, uint64_t high, size_t bytes, uint64_t reach);

// In a copy of this process, where the file that is kept shows the other one,
// which may have the same number in a namespace of its own. In hits.
void forgetMappingsFile();

// --- barriers: os/linux/barrier.cpp; under the lock --------------------------
// Callers: the flip engine, attach.cpp and stays.cpp; start.cpp.

// Registers the process with the kernel. At the start, without the lock, and in
// the child of a fork: while there is one thread it takes microseconds, later
// milliseconds. False: this kernel cannot.
bool registerBarrier();
// Every thread of this process executes a core-serialising instruction and a
// full memory barrier before it runs user code again, and so does the caller:
// membarrier(2), MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE. False: it failed,
// and nothing may be assumed.
bool synchroniseCores();
// The same, but nothing to do where no code was written since it last
// succeeded; then, too, false where it may not be called any more.
bool settleCores();

// --- what this process may do: os/linux/trial.cpp; under the lock ------------
// Under a seccomp filter a system call may end the process. There, and only
// there, the unusual ones are first tried in a child. Callers: modules.cpp,
// attach.cpp and the flip engine, each before it begins.

// A batch begins: the thread's filters are counted anew when a trial is made
// next, and taken as they are for the rest of the batch.
void beginTrials();
// Tries what hits make, and leaves word for them in mayAsk().
void tryHitCalls();

// --- the process: os/linux/process.cpp, in hits ------------------------------
// Caller: threads.cpp. An address space is copied by fork(), but also by
// _Fork() and by a bare clone(), which run no atfork handlers; and vfork() and
// clone(CLONE_VM) make a process that shares ours.

// At the start: one page that the kernel empties in every copy of this address
// space (madvise(2), MADV_WIPEONFORK, Linux 4.14). Where the kernel cannot do
// that only fork() is noticed, by its handlers.
void startProcess();
// Whether this address space is a copy that nobody has renewed yet.
bool isCopiedProcess();
// True for one caller alone, who then makes things right for the copy and calls
// finishRenewal(). `always`: also where no copy was noticed.
bool beginRenewal(bool always);
void finishRenewal();
// Waits for a renewal that another thread has begun. Not in a hit.
void awaitRenewal();

// The process whose threads own this address space.
int32_t processId();
// The calling thread's kernel id, or 0 where it cannot be known: in a process
// that shares the address space of processId(), or where the system calls may
// not be made (mayAsk()).
int32_t knownThreadId();
// Whether a thread of processId() has ended for sure.
bool hasThreadEnded(int32_t thread);

// System calls that hits make. A seccomp filter may kill for them: attach tries
// them in a child first (tryHitCalls()), and hits leave out those that failed.
// So it is with what a detach reads frames by.
enum class HitCall { Ids, SignalMask, AltStack, Peek, kCount };
bool mayAsk(HitCall call);

// --- threads: os/linux/threads.cpp, cancel.cpp -------------------------------
// Callers: threads.cpp, where nothing else is said.

// As long as it lives this thread takes no signal. In hits, where
// mayAsk(HitCall::SignalMask).
class SignalsBlocked {
public:
  SignalsBlocked();
  ~SignalsBlocked();
  SignalsBlocked(const SignalsBlocked &) = delete;
  SignalsBlocked &operator=(const SignalsBlocked &) = delete;

private:
  uint64_t before[16]; // the system's set of signals
};

// The calling thread's alternate signal stack; `bytes` 0: it has none, or is on
// one that the kernel hides as long as it is in use (`disarms`, sigaltstack(2),
// SS_AUTODISARM).
struct AlternateStack {
  uint64_t low, bytes;
  bool disarms;
};
// False: it can't be asked for. In hits.
bool readAlternateStack(AlternateStack &stack);

// A value of each thread's own; query.cpp has one, too. `end` gets it when the
// thread ends, if it is not nullptr then, and as often as it is set again
// there.
struct ThreadKey {
  uint32_t number;
  bool made; // else setThreadValue() does nothing, and all values are nullptr
};
// At the start: while there are less than 32 keys glibc has room for a thread's
// value; for later ones it asks calloc for some, in a hit that may itself be in
// calloc, with its lock held.
void makeThreadKey(ThreadKey &key, void (*end)(void *value));
// In hits.
void *threadValue(const ThreadKey &key);
void setThreadValue(const ThreadKey &key, void *value);

// Which thread of the process this is, as long as that lives. In hits.
uint64_t thisThread();

// Cancellation (pthread_cancel), for cancel.h and start.cpp. Any thread,
// whatever it has locked. Not
// async-signal-safe by POSIX, though it is in glibc and musl.
int disableCancel(); // returns the state that there was
void restoreCancel(int state);
// Ends the thread here if it was cancelled, so only where it holds nothing.
// attach.cpp.
void testCancel();

// What the runtime's lock is made of, in lock.cpp. Any thread. giveMutex() by
// the thread that took it, or the child of a fork by that one.
void takeMutex();
void giveMutex();
// False: a thread has it. Async-signal-safe, as giveMutex() is.
bool tryMutex();
// In a copy of the process, before any other use. False: it was taken, and is
// made anew.
bool renewMutex();

// Any thread, not in hits: so wait stays.cpp and clock.cpp.
void yieldThread();
// So long, though signals come meanwhile. Whoever calls it is not cancelled.
void sleepFor(uint64_t nanoseconds);
// CLOCK_MONOTONIC. In hits.
uint64_t nanoseconds();

// --- the loader: os/linux/walk.cpp, loader.cpp, copies.cpp -------------------
// What is here takes the loader's locks, so it may not be called with the
// runtime's lock held, except programPath() and canUnload(): a constructor run
// by dlopen holds the loader's and may ask for ours. Any thread. Callers:
// walkmodules.cpp, pins.cpp, and refresh.cpp for takeCharge().

// A module in the loader's list, as long as the visit to it lasts.
struct LoadedModule {
  uint64_t base;
  const Elf64_Phdr *headers;
  uint32_t headerCount;
  const char *name; // as the loader has it; empty, or nullptr: the program
  // How many modules the loader has ever loaded and unloaded, where it counts.
  bool counts;
  uint64_t loads, unloads;
};
using LoaderVisit = int (*)(const LoadedModule &module, void *data);
// Visits all modules in the order in which they were loaded, until a visit
// returns something else than 0. The first visit comes with no fork under way.
// A visit may take the runtime's lock. Modules in other namespaces (dlmopen)
// are not seen: dl_iterate_phdr (3) reports the caller's own.
void walkLoader(LoaderVisit visit, void *data);
// The same inside of a visit, so with the loader's lock had already.
void walkLoaderWithin(LoaderVisit visit, void *data);
// The path of the program's own file, or what is known of that. Takes no lock.
void programPath(char *path, size_t bytes);

// Whether modules can be unloaded at all, and so have to be pinned. Takes no
// lock.
bool canUnload();
// Keeps the module at `base`, by the loader's own name of it, loaded; nullptr:
// it is not there any more. May wait for a dlopen or dlclose of another thread,
// constructors and destructors included.
void *pinLoaded(const char *name, uint64_t base);
// May run the module's destructors.
void unpinLoaded(void *handle);

// Several copies of this library may be in one process: a shared one, and
// static ones in the program or in shared libraries. One is in charge; two that
// flip the same sleds would each take the other's jump for damage. Puts this
// copy in charge if no other is, and keeps it loaded from then on. False:
// another is, whose module's path is stored.
bool takeCharge(char *other, size_t bytes);

// --- fork and the end: os/linux/fork.cpp, walk.cpp ---------------------------
// Callers: start.cpp, and threads.cpp in a copy of the process.

// Around a fork() of this process, in the thread that forks: before it, and
// after it in the parent and in the child. At the start.
void watchForks(void (*before)(), void (*inParent)(), void (*inChild)());
// A fork waits until no thread of this runtime is in a walk of the loader, as
// glibc (2.36) leaves that lock in the child as it was. By the functions above;
// resumeWalksInChild() also in a copy that fork() did not make.
void holdWalks();
void resumeWalks();
void resumeWalksInChild();

// --- files: os/linux/files.cpp, output.cpp; any thread -----------------------
// Callers: elffile.cpp under the lock, status.cpp with or without it.

// Opens a module's file for reading, if it is a regular one, and tells its
// size; `program`: the program's own, which may have been removed. Returns its
// descriptor, or a negated errno.
int openModuleFile(const char *path, bool program, uint64_t *bytes);
// False: not all of it is there.
bool readFileAt(int file, void *out, size_t bytes, uint64_t offset);
void closeFile(int file);

// Where lines and tables of ours go: the standard error that the process began
// with, or what the program put in its place for text. -1: there is neither; a
// data file or a socket that got the descriptor's number is no place for lines.
// Async-signal-safe.
int standardError();
// At the start: notes which file standard error is.
void rememberStandardError();
// Keeps a descriptor of that file from now on, as programs close theirs before
// they end. Called once, by those who print something at the end.
void keepStandardError();
// All of it. A write that fails sends the program no signal. False, with errno:
// some is missing. Where the other end takes nothing for a second, the rest is
// given up (EAGAIN).
bool writeAll(int file, const char *text, size_t bytes);

// --- traps: os/linux/sigtrap.cpp ---------------------------------------------

// What the signal's handler asks of the architecture (arch.h), on the thread
// that met a breakpoint instruction or got a signal; `context` is the signal's
// ucontext_t. Async-signal-safe.
struct TrapResponses {
  // The thread executed a breakpoint instruction. True: it is ours, and the
  // thread goes on elsewhere.
  bool (*resume)(void *context);
  // The signal was sent; the trap of an instruction may be lost in it.
  void (*resumeLost)(void *context);
  // True: the thread is led back to the breakpoint instruction that it has just
  // executed. False: there is none.
  bool (*repeat)(void *context);
};
// Makes SIGTRAP ours, the first time, and sees whether it still is. NONE, or
// why no trap may be set now. Under the lock. Caller: traps.cpp.
tprt_refusal takeTrapSignal(const TrapResponses &responses);

// --- what the system calls: core/standing.cpp has it -------------------------

// A module is being loaded by this thread, with the loader's lock held, before
// its constructors run. os/linux/arrival.cpp.
void noteLoading();

} // namespace tprt

#endif
