// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The port to the operating system: all that the core asks of a system, and the
// functions of the runtime that the system calls. os/<system>/ implements it.
// Parameters and results are plain data.
//
// Each part says which files of the runtime call its functions, on which
// threads and with which locks:
//   "in hits"          also inside a hit: async-signal-safe, without a lock
//   "any thread"       thread-safe, not async-signal-safe, without the lock
//                      unless the part says otherwise
//   "under the lock"   the caller has the runtime's lock (threads/lock.h)
//   "at the start"     once, by the library's constructor (probes/init.cpp)
// No function takes the runtime's lock. A function may change errno unless its
// comment says otherwise.
#ifndef TPRT_BASE_OS_H
#define TPRT_BASE_OS_H

#include "base/array.h"
#include "base/extent.h"
#include "tprt/tprt.h"

#include <elf.h>
#include <stddef.h>
#include <stdint.h>

struct sigaction; // the system's

namespace tprt {

// --- memory: os/linux/mappings.cpp, in hits ----------------------------------
// Callers: the files that own memory (small_alloc.cpp and array.cpp;
// thread_block.cpp, counters.cpp and every_nth.cpp for each thread's arrays),
// module_list.cpp and unloaded_modules.cpp for sites, and stub_regions.cpp for
// stubs.

// Zeroed read-write pages, or nullptr. `bytes` is a multiple of the page size.
void *allocatePages(size_t bytes);
// The same for a large range of which little is used; the rest costs address
// space only.
void *reservePages(size_t bytes);
void freePages(void *pages, size_t bytes);
// Makes these pages `wanted` bytes long, and moves them to another address if
// necessary. nullptr: there is no memory, and the pages are as they were.
void *resizePages(void *pages, size_t bytes, size_t wanted);
// From now on these pages are empty in each copy of the address space that
// fork() or the like makes (madvise(2), MADV_WIPEONFORK, Linux 4.14). False:
// the kernel cannot do that.
bool emptyInCopies(void *pages, size_t bytes);
// Makes pages that are about to be written present by one call, instead of by
// one page fault each. Does nothing for small ranges, or where the kernel
// cannot do it.
void populatePages(void *memory, size_t bytes);
// Lets the kernel give this range large pages (of 2 MB on x86-64), where the
// range has all of such a page. The memory of one takes half as long to get as
// that of 256 small ones. Some systems have no large pages, or none left.
void preferLargePages(void *start, size_t bytes);
// Pages that can grow at the same addresses for the life of the process. The
// room that is not used yet must cost nothing: no memory (mlockall), no address
// space that RLIMIT_AS limits, no part of what may be committed
// (vm.overcommit_memory=2). So that room is not reserved; the range begins
// where many GiB of addresses after it are free. nullptr: no memory.
void *startRange(size_t bytes);
// Grows a range from `bytes`, which are whole pages, to at least `wanted`, and
// updates `bytes`. False: there is no memory, or somebody else took the
// addresses; the range is as it was.
bool growRange(void *start, size_t &bytes, size_t wanted);

// Whether this process can read memory at this address; finding out causes no
// fault. Keeps errno. The flip engine asks before it reads code.
bool isReadable(const void *address);
// Whether many pages can all be read, in a fifth of the time. False, too, where
// that cannot be found out for many pages at once: then each page is to be
// asked about by itself. `start` is where a page begins.
bool areAllReadable(uint64_t start, uint64_t end);
// Copies memory of this process that may be unmapped at any time, for instance
// another thread's stack. False: the memory is not there, or the system does
// not permit the call. quiesce.cpp reads frames by this function.
bool peek(uint64_t address, void *to, size_t bytes);

// --- code: os/linux/text.cpp, maps.cpp; under the lock -----------------------
// Callers: stubs.cpp, stub_regions.cpp, jump_islands.cpp, and textwriter.* for
// the flip engine. The core decides which bytes are stored, in which order and
// with which barriers (patch.h).

// A range of addresses that has the same rights everywhere.
struct Mapping {
  uint64_t start, end;
  uint32_t rights; // PF_R, PF_W, PF_X
  // Code there may not be written: other processes would see the change (a
  // shared mapping), or the kernel cannot copy the page (huge pages of
  // hugetlbfs).
  bool fixed;
  // What the kernel keeps as one mapping lies whole in this range, as far as is
  // known.
  bool whole = false;

  bool isReadable() const { return rights & PF_R; }
};

// A module's code.
struct CodeMemory {
  Array<Segment> segments;
  // The mappings of the code, valid while a CodeWriter works on it.
  mutable Array<Mapping> mappings;
  // Rights that the code is mapped with beside the usual protection: see
  // protectionByProperty() in arch.h.
  int guard;
  // The whole code has been open for writing once. From then on the kernel
  // joins parts again after their rights were changed and restored (text.cpp).
  mutable bool openedWhole;
  // Most of the code's pages were made private by one operation.
  mutable bool copied;
};

// /proc/self/mem, opened to write. Under the lock. An open one is not copied.
class MemoryFile {
  int file = -1;
  MemoryFile *next = nullptr; // Among the open ones.

public:
  void open();
  bool isOpen() const { return file >= 0; }
  bool write(uint64_t address, const void *bytes, size_t count) const;
  void close();
  // Such a file leads to the memory of the process that opened it. Called in a
  // child of fork() whose thread will go on with what it did under the lock:
  // the open files lead to the memory of the child from then on.
  static void reopenInChild();
};

// Opens one module's code for a batch of stores, and restores the code's
// protection at the end.
struct CodeWriter {
  const CodeMemory *code;
  bool writable;     // The code can be written by ordinary stores.
  MemoryFile memory; // Open where it is used instead.
  // The expected number; it decides whether pages are copied beforehand.
  size_t stores;
  uint64_t low, high; // The batch reads and writes between these addresses.

  // Comes first. Stores in code->mappings how the batch's code is mapped now.
  // These mappings say which sites may be read and written, and which rights
  // each page gets back. False: no memory.
  bool look();
  // Why the memory in `extent` may not be read or written, or
  // TPRT_REFUSAL_NONE.
  tprt_refusal judge(Extent extent) const;
  // Opens the code if it is not open yet. False: none of the ways known here
  // lets this process write its code.
  bool open();
  // Writes where the code is open but not writable by stores. The kernel does
  // not promise in which order or parts more than one byte arrives. False:
  // nothing was written.
  bool writeMemory(uint64_t address, uint64_t value, unsigned bytes) const;
  // Restores the protection. Does nothing where the code is not open.
  void close();

private:
  Extent partOf(const Segment &segment) const;
};

// reserveExactly() reserves exactly this range of address space, without
// memory. It returns false if any part of the range is taken. makeWritable()
// maps zeroed read-write pages in a part of such a range that nothing uses.
// allocateExactly() does both at once.
bool reserveExactly(uint64_t start, size_t bytes);
bool allocateExactly(uint64_t start, size_t bytes);
bool makeWritable(uint64_t start, size_t bytes);
// Makes freshly filled pages executable and no longer writable. It may replace
// them by other pages with the same bytes. The caller publishes the code
// (arch.h). Where it returns false, errno says why mprotect did not do it.
bool protectCode(uint64_t address, size_t bytes);
// Maps zeroed read-write pages, each byte of which lies within `reach` of every
// address of [low, high). nullptr: there is no such room.
void *allocateNear(uint64_t low, uint64_t high, size_t bytes, uint64_t reach);

// Called in a copy of this process: the file of mappings that is kept open
// still shows the original process. The process number does not tell the two
// apart where the copy has the same number in a namespace of its own. In hits.
void forgetMappingsFile();

// Where the main thread's stack and the heap may grow to, from where they are
// now. A page of ours there would end the program, or its heap.
struct GrowthRoom {
  uint64_t stackLow, stackHigh, heapLow, heapHigh;

  bool has(uint64_t address) const {
    return (address >= stackLow && address < stackHigh) ||
           (address >= heapLow && address < heapHigh);
  }
  bool meets(uint64_t start, uint64_t end) const {
    return (start < stackHigh && stackLow < end) ||
           (start < heapHigh && heapLow < end);
  }
};
GrowthRoom readGrowthRoom();

// How many mappings the process has, and how many it may have
// (vm.max_map_count). Where that cannot be known, `now` is 0, and `most` the
// kernel's usual limit. The mappings are added to `all`, in order of address.
struct MappingCount {
  size_t now, most;
};
MappingCount countMappings(Array<Mapping> &all);

// Maps zeroed pages at exactly this address that are executable and not
// writable. False where any part of the range is taken, or where the system
// forbids such pages.
bool allocateCodeExactly(uint64_t start, size_t bytes);

// Writes to pages that are executable and not writable, to bytes that no thread
// can reach. write() returns false if nothing, or not all, was written, and
// where the writer is not open. Under the lock.
class UnreachedWriter {
  MemoryFile memory;

public:
  void open() { memory.open(); }
  bool isOpen() const { return memory.isOpen(); }
  bool write(uint64_t address, const void *bytes, size_t count) const {
    return memory.write(address, bytes, count);
  }
  void close() { memory.close(); }
};
// The same by ordinary stores, in any order: no thread reaches the bytes, and
// the caller's SYNC comes before anything leads there (Intel SDM vol.
// 3, 9.1.3; AMD APM vol. 2, 7.6.1). Other bytes of the pages are in use, so the
// pages stay executable while they can be written. False: the system forbids
// that, too.
bool writeUnreached(uint64_t address, const void *bytes, size_t count);

// A file in memory whose pages are mapped as code at several addresses each, so
// that thousands of addresses take few pages of memory. They are mapped first,
// while nothing leads there, and written later. Under the lock.
class CodeFile {
  int file = -1;

public:
  // Makes a file with memory for so many bytes. It stays closed where the
  // system forbids such files or has no memory for it, and where many mappings
  // would cost the program something: where it has a limit of address space
  // (RLIMIT_AS), or locks new pages (mlockall), as these `fresh` ones of its
  // are then.
  void open(void *fresh, size_t bytes);
  bool isOpen() const { return file >= 0; }
  // Maps a part of the file as allocateCodeExactly() does. A write to the
  // mapping through UnreachedWriter changes nothing in the file.
  bool mapExactly(uint64_t address, size_t bytes, uint64_t offset) const;
  // Writes the file, for good, and gives the memory after these bytes back.
  // False: its pages must not be used.
  bool write(const void *bytes, size_t count) const;
  void close();
};

// Adds those pages of the range, joined, of which the process may have a copy
// of its own, because something was written there. The others are as in the
// file. False: no memory.
bool findCopiedPages(const Extent &range, Array<Extent> &out);

// --- barriers: os/linux/thread_barrier.cpp; under the lock -------------------
// Callers: the flip engine, attach.cpp and quiesce.cpp; init.cpp.

// Registers the process with the kernel for synchroniseCores(). Called without
// the lock at the start and in the child of a fork: registering takes
// microseconds while the process has one thread, and milliseconds later. False:
// this kernel has no such barrier.
bool registerBarrier();
// When this returns, every thread of the process has executed a
// core-serialising instruction and a full memory barrier, or will do so before
// it runs user code again; the caller has done so as well. This is
// membarrier(2) with MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE. False: the
// call failed, and the caller may assume nothing.
bool synchroniseCores();
// The same, except that it does nothing if no code was written since the last
// success. Returns false even then if the system call may not be made any more.
bool synchroniseIfNeeded();

// --- what this process may do: os/linux/seccomp_trial.cpp; under the lock ----
// Under a seccomp filter a system call may end the process. Only under such a
// filter, unusual system calls are first tried in a child process. Callers:
// module_list.cpp, attach.cpp and the flip engine, each before it begins.

// A batch begins. The next trial counts the thread's filters anew; the rest of
// the batch relies on that count.
void beginTrials();
// Why the last call that had to be tried was not, in words: there could be no
// child process just then, so a later trial may succeed. nullptr: it was tried.
const char *whyNoTrial();
// Tries the system calls that hits make, and stores the results for mayAsk().
void tryHitCalls();
// Whether no filter ends the process for starting a thread that looks for
// breakpoints (uprobe_thread.cpp).
bool mayStartThreads();

// --- the process: os/linux/process.cpp, in hits ------------------------------
// Caller: thread_block.cpp. An address space is copied by fork(), but also by
// _Fork() and by a bare clone(), which run no atfork handlers. vfork() and
// clone(CLONE_VM) make a process that shares ours.

// At the start: maps one page that the kernel empties in every copy of this
// address space (madvise(2), MADV_WIPEONFORK, Linux 4.14). Where the kernel
// cannot do that, only fork() is noticed, by its handlers.
void startProcess();
// Whether this address space is a copy that no thread has renewed yet.
bool isCopiedProcess();
// Returns true to one caller only. That caller adapts the runtime's state to
// the copy and then calls finishRenewal(). `always`: renew even where no copy
// was noticed.
bool beginRenewal(bool always);
void finishRenewal();
// Waits for a renewal that another thread has begun. Not called in hits.
void awaitRenewal();

// The calling thread's errno as the program sees it. errno in the runtime is
// the runtime's own (os/linux/own_names.h). In hits.
int *programErrno();

// The process whose threads own this address space.
int32_t processId();
// The calling thread's kernel id, or 0 where the id cannot be known: in a
// process that shares the address space of processId(), or where the system
// calls may not be made (mayAsk()).
int32_t knownThreadId();
// Whether a thread of processId() has certainly ended.
bool hasThreadEnded(int32_t thread);

// System calls that hits make, and the one by which a detach reads frames
// (Peek). A seccomp filter may end the process for such a call. So attach tries
// them in a child process first (tryHitCalls()), and those that failed are not
// made.
enum class HitCall { Ids, SignalMask, AltStack, Peek, Clock, kCount };
bool mayAsk(HitCall call);

// --- threads: os/linux/system_thread.cpp, cancel.cpp -------------------------
// Callers: thread_block.cpp, unless a comment says otherwise.

// While this object exists, its thread takes no signals but SIGTRAP, which ends
// the process at a trap where it is blocked. Threads that are made meanwhile
// begin with the same signals blocked. In hits, where
// mayAsk(HitCall::SignalMask).
class SignalsBlocked {
public:
  SignalsBlocked();
  ~SignalsBlocked();
  SignalsBlocked(const SignalsBlocked &) = delete;
  SignalsBlocked &operator=(const SignalsBlocked &) = delete;

private:
  uint64_t before[16]; // The system's set of signals.
};

// The calling thread's alternate signal stack. `bytes` is 0 if the thread has
// none, or if it runs on a stack that the kernel hides while it is in use
// (`disarms`; sigaltstack(2), SS_AUTODISARM).
struct AlternateStack {
  uint64_t low, bytes;
  bool disarms;
};
// False: the system call may not be made or failed. In hits.
bool readAlternateStack(AlternateStack &stack);

// The key of a variable with one value per thread. query.cpp makes another one.
// When a thread ends and its value is not nullptr, `end` is called with the
// value, and again as long as a new value was set meanwhile.
struct ThreadKey {
  uint32_t number;
  // If false, setThreadValue() does nothing and all values are nullptr.
  bool made;
};
// Called at the start, to get one of the first 32 keys: glibc has room in each
// thread for the values of these. For later keys glibc calls calloc, and that
// in a hit which may itself be inside calloc with calloc's lock held.
void makeThreadKey(ThreadKey &key, void (*end)(void *value));
// In hits.
void *threadValue(const ThreadKey &key);
void setThreadValue(const ThreadKey &key, void *value);

// A number that identifies the calling thread as long as it lives. In hits.
uint64_t thisThread();

// Cancellation (pthread_cancel), for cancel.h and init.cpp. Any thread,
// whatever locks it has. Not async-signal-safe by POSIX, though it is in glibc
// and musl.
int disableCancel(); // returns the state that there was
void restoreCancel(int state);
// Ends the calling thread here if it was cancelled, so it is called only where
// the thread holds nothing. Caller: attach.cpp.
void testCancel();

// The mutex that the runtime's lock is made of, for lock.cpp. Any thread.
// giveMutex() is called by the thread that took the mutex, or by that thread's
// copy in the child of a fork.
void takeMutex();
void giveMutex();
// False: a thread has the mutex. tryMutex() and giveMutex() are
// async-signal-safe.
bool tryMutex();
// Called in a copy of the process before any other use of the mutex. False: the
// mutex was taken when the copy was made, and was made anew.
bool renewMutex();

// Lets other threads run. Any thread, not in hits: quiesce.cpp and clock.cpp
// wait this way.
void yieldThread();
// Sleeps the whole time even if signals arrive. The caller has disabled
// cancellation.
void sleepFor(uint64_t nanoseconds);
// Starts a thread with all signals blocked. glibc's changes of the process's
// user and groups leave it out. False, with errno: there is none. Not
// under the lock, because the C library allocates. With a name, the call
// waits until the thread has it. With nullptr, it waits for nothing that the
// thread does: functions which that calls may be probed, and a handler may wait
// for a lock of the caller's. Callers: uprobe_thread.cpp, control/.
bool startThread(void (*run)(), const char *name);
// Opens what readProcessRights() reads, as the program may change its root. For
// the thread that will call that, which has a table of descriptors of its own.
// Callers of this and of the next four: control/, uprobe_thread.cpp.
void openProcessRights();
// Reads which user and groups the process has. One thread at a time.
void readProcessRights();
// Gives the calling thread, which startThread() has started, the user and the
// groups that were read last, and takes from it the capabilities that the
// process does not have. Where the C library does so, only if the process has
// given capabilities up for good. No other thread is in readProcessRights().
void followProcess();
// The same for a thread with the program's descriptors, by an own look, and
// only if the process has fewer capabilities than the thread. Under the lock.
void followProcessIfLess();
// Whether the calling thread has rights that the process may give up, and may
// make the system calls for that. Under the lock.
bool mayFollowProcess();
// Gives the calling thread a name.
void nameThread(const char *name);
// Whether so many threads are the process's last ones, except for the main
// thread, which has ended. False where /proc cannot tell.
bool areLastThreads(unsigned count);
// Reads CLOCK_MONOTONIC. In hits.
uint64_t nanoseconds();
// Reads CLOCK_THREAD_CPUTIME_ID.
uint64_t threadNanoseconds();

// --- the loader: os/linux/walk.cpp, loader.cpp, duplicate_runtimes.cpp -------
// Except for programPath(), isSystemsOwn() and canUnload(), these functions
// take the loader's locks. So they may not be called with the runtime's lock
// held: a constructor run by dlopen has the loader's lock and may wait for the
// runtime's. Any thread. Callers: loader_walk.cpp, module_refs.cpp, and
// refresh.cpp for takeCharge().

// A module in the loader's list, valid while the visit to it lasts.
struct LoadedModule {
  uint64_t base;
  const Elf64_Phdr *headers;
  uint32_t headerCount;
  // The loader's name for it; empty or nullptr for the program.
  const char *name;
  // `counts`: the loader counts how many modules it has ever loaded and
  // unloaded, and `loads` and `unloads` are these numbers.
  bool counts;
  uint64_t loads, unloads;
};
using LoaderVisit = int (*)(const LoadedModule &module, void *data);
// Visits all modules in the order in which they were loaded, until a visit
// returns a value other than 0. No fork is under way when the first visit
// begins. A visit may take the runtime's lock. Modules in other namespaces
// (dlmopen) are not visited, because dl_iterate_phdr(3) reports the caller's
// namespace only.
void walkLoader(LoaderVisit visit, void *data);
// The same from inside a visit, where the caller already has the loader's lock.
void walkLoaderWithin(LoaderVisit visit, void *data);
// Stores the path of the program's own file, or as much as is known. Takes no
// lock.
void programPath(char *path, size_t bytes);

// Whether the module at `base` is the loader, or what the kernel maps into each
// process (the vdso). Takes no lock.
bool isSystemsOwn(uint64_t base);

// Whether modules can be unloaded at all; only then they must be pinned. Takes
// no lock.
bool canUnload();
// Keeps the module at `base` loaded. `name` is the loader's own name for it.
// nullptr: the module is not there any more. May wait for a dlopen or dlclose
// of another thread, including the constructors and destructors that it runs.
void *pinLoaded(const char *name, uint64_t base);
// Gives back what pinLoaded() returned. May run the module's destructors.
void unpinLoaded(void *handle);

// A process may contain several copies of this library: a shared one, and
// static ones in the program or in shared libraries. Only one copy may be in
// charge, because two that flip the same sleds would take each other's jumps
// for damage. This function puts this copy in charge if no other is, and then
// keeps it loaded. False: another copy is in charge, and the path of that
// copy's module is stored.
bool takeCharge(char *other, size_t bytes);

// --- fork and the end: os/linux/fork.cpp, walk.cpp ---------------------------
// Callers: init.cpp, and thread_block.cpp in a copy of the process.

// Registers functions that the thread which calls fork() runs: one before the
// fork, and one after it in each of parent and child. At the start.
void watchForks(void (*before)(), void (*inParent)(), void (*inChild)());
// Registers a function that quick_exit() calls. At the start, once.
void watchQuickExit(void (*function)());
// A fork waits until no thread of this runtime walks the loader's list, because
// glibc (2.36) leaves the list's lock in the child as it was. The functions
// given to watchForks() call these; resumeWalksInChild() is also called in a
// copy that fork() did not make. `hasLock`: the thread that forks has the
// runtime's lock already, for which a walk may wait.
void holdWalks(bool hasLock);
void resumeWalks();
void resumeWalksInChild();

// --- files: os/linux/files.cpp, proc_self.cpp, output.cpp; any thread --------
// Callers: elf_file.cpp under the lock; status.cpp with or without the lock;
// the parts that open files and sockets.

// Opens a module's file for reading if it is a regular file, and stores its
// size. `program`: the file is the program's own, which may have been removed.
// Returns the descriptor, or a negated errno.
int openModuleFile(const char *path, bool program, uint64_t *bytes);
// False: the file does not have all of these bytes.
bool readFileAt(int file, void *out, size_t bytes, uint64_t offset);
void closeFile(int file);
// Gives a descriptor that we just opened a number above those that programs
// count on, and returns the number: the same if there is no higher one; -1,
// with EBADF, if the program closed the descriptor meanwhile.
// Async-signal-safe.
int raiseDescriptor(int file);

// The descriptor for our messages and tables: the standard error that the
// process began with, or what the program put in its place for text. -1: there
// is neither. A data file or socket that happened to get the descriptor's
// number is not used. Async-signal-safe.
int standardError();
// At the start: notes which file standard error is.
void rememberStandardError();
// Keeps a descriptor of standard error's file from now on, because programs may
// close theirs before they end. Called once, by the parts that print at the end
// of the process.
void keepStandardError();
// Writes all of the text. A write that fails sends the program no signal.
// False, with errno: some of the text is missing. If the reader takes nothing
// for a second, the rest is given up (EAGAIN).
bool writeAll(int file, const char *text, size_t bytes);

// --- lines: os/linux/write_line.cpp, in hits ---------------------------------
// Caller: points/print_point.cpp.

// Writes the text by one system call, again only where a signal interrupted it.
// A write that fails sends the program no signal. Keeps errno, is no
// cancellation point, and uses general registers only. False: not all of the
// text was written.
bool writeOnce(int file, const char *text, size_t bytes);
// CLOCK_REALTIME in nanoseconds. Not called in hits.
uint64_t wallClock();
// The same for hits: a system call, which keeps all registers. 0 where this
// call may not be made.
uint64_t wallClockInHit();

// --- traps: os/linux/sigtrap.cpp ---------------------------------------------

// What the signal's handler asks of the architecture (arch.h). It asks on the
// thread that executed a breakpoint instruction or got a sent signal. `context`
// is the signal's ucontext_t. Async-signal-safe.
struct TrapResponses {
  // The thread executed a breakpoint instruction. True: the breakpoint is ours,
  // and the thread continues elsewhere.
  bool (*resume)(void *context);
  // The signal was sent by somebody. The trap of an instruction may be lost in
  // it.
  void (*resumeLost)(void *context);
  // True: the thread is sent back to the breakpoint instruction that it has
  // just executed. False: there was no such instruction.
  bool (*repeat)(void *context);
};
// The first time, makes libtprt the handler of SIGTRAP; later, checks that it
// still is. TPRT_REFUSAL_NONE, or the reason why no trap may be set now. Under
// the lock. Caller: traps.cpp.
tprt_refusal takeTrapSignal(const TrapResponses &responses);
// The program's calls of pthread_sigmask() and of sigaction(), so that traps
// find SIGTRAP open, and its handler libtprt's: os/linux/trap_masks.cpp. True:
// the call continues with other arguments. Async-signal-safe. Caller of these
// three: interpose/sigtrap_guard.cpp.
bool keepTrapsOpen(int how, const void *&set);
bool keepTrapsOurs(int number, const struct ::sigaction *&action,
                   struct ::sigaction *&old);
// Takes SIGTRAP out of the masks of the handlers that there are.
void openHandlersMasks();
// An address in the C library. Callers: site_plan.cpp and the architecture.
uint64_t addressInCLibrary();
// Whether a debugger is attached, or it cannot be known. Caller: site_plan.cpp,
// under the lock.
bool isTraced();

// --- signals: os/linux/signals.cpp -------------------------------------------

// What the handler that stands for the program's asks of the core. `context` is
// the signal's ucontext_t. Async-signal-safe.
struct SignalResponses {
  // What show() changed: the program counter that was there; how far the stack
  // pointer was moved; registers, which the architecture knows.
  struct Shown {
    uint64_t programCounter;
    int64_t moved;
    uint64_t registers[2];
  };
  // Gives the context the registers that the program's handler is shown. False:
  // they stay as they are.
  bool (*show)(void *context, Shown &was);
  // Undoes it.
  void (*giveBack)(void *context, const Shown &was);
  uint64_t (*programCounter)(const void *context);
  // Of a fault at this address of data: takes the thread out of the hit for
  // which its stack was too small. False: that was not the reason.
  bool (*leaveOverflow)(void *context, uint64_t fault);
};
// Has the handlers that the program has for signals, and will have, called by
// libtprt's: those that may catch an overflow of the stack, which are the ones
// of SIGSEGV and SIGBUS on an alternate stack, or all. May be called again with
// more. False: the handlers that it has cannot be read. Caller: pc_map.cpp.
enum class Translated : uint32_t { None, Overflows, All };
bool translateSignals(const SignalResponses &responses, Translated which);
// sigaction() and signal() for a program, where `next` is the function of that
// name. Before translateSignals() was called they only call it. Callers:
// interpose/signal_calls.cpp.
using SignalHandler = void(int);
using SignalChanger = int(int, const struct ::sigaction *,
                          struct ::sigaction *);
using HandlerChanger = SignalHandler *(int, SignalHandler *);
int changeSignal(int number, const struct ::sigaction *action,
                 struct ::sigaction *old, SignalChanger *next);
SignalHandler *changeHandler(int number, SignalHandler *handler,
                             HandlerChanger *next);

// --- what the system calls: probes/pending_probes.cpp has it -----------------

// This thread is loading a module. Called with the loader's lock held, before
// the module's constructors run, by os/linux/dlopen_hook.cpp. `caller` lies in
// the module.
void noteLoading(const void *caller);

} // namespace tprt

#endif
