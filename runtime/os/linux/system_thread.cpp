// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The system's services for one thread: signals, thread-specific values,
// sleeping and time. Also the mutex of the runtime's lock. Most of these
// functions run in hits, on any thread; base/os_thread.h lists them.
#include "base/os_loader.h"
#include "base/os_process.h"
#include "base/os_thread.h"
#include "base/process_ends.h"
#include "os/linux/apart.h"

#include <elf.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1u << 31)
#endif

namespace tprt {

SignalsBlocked::SignalsBlocked() {
  static_assert(sizeof before >= sizeof(sigset_t));
  sigset_t all;
  sigfillset(&all);
  sigdelset(&all, SIGTRAP); // The functions that are called may have traps.
  pthread_sigmask(SIG_SETMASK, &all, reinterpret_cast<sigset_t *>(before));
}

SignalsBlocked::~SignalsBlocked() {
  pthread_sigmask(SIG_SETMASK, reinterpret_cast<sigset_t *>(before), nullptr);
}

bool readAlternateStack(AlternateStack &stack) {
  stack_t now;
  if (!mayAsk(HitCall::AltStack) ||
      syscall(SYS_sigaltstack, nullptr, &now) != 0)
    return false;
  bool none = now.ss_flags & SS_DISABLE;
  stack.low = reinterpret_cast<uint64_t>(now.ss_sp);
  stack.bytes = none ? 0 : now.ss_size;
  stack.disarms = !none && static_cast<unsigned>(now.ss_flags) & SS_AUTODISARM;
  return true;
}

// The system keeps room for the main thread's stack to grow (getrlimit(2),
// RLIMIT_STACK), so nothing else is just below it, unless the program asks for
// an address there. The name of the program's file is at its end (execve(2)
// puts it there, getauxval(3) tells). Other threads' stacks, also those that
// the program provides, end with the C library's data of the thread, to which
// pthread_self() points, and have at least PTHREAD_STACK_MIN bytes.
StackRange ownStack(int32_t thread) {
#ifndef __GLIBC__
  constexpr uint64_t kLeast = 2048;
#elif defined(__aarch64__)
  constexpr uint64_t kLeast = 131072;
#else
  constexpr uint64_t kLeast = 16384;
#endif
  constexpr uint64_t kMain = uint64_t{1} << 20;
  if (thread <= 0)
    return {};
  const bool isMain = thread == processId();
  const uint64_t end =
      isMain ? getauxval(AT_EXECFN) : static_cast<uint64_t>(pthread_self());
  const uint64_t bytes = isMain ? kMain : kLeast;
  return end > bytes ? StackRange{end - bytes, end} : StackRange{};
}

void makeThreadKey(ThreadKey &key, void (*end)(void *value)) {
  static_assert(sizeof(pthread_key_t) == sizeof key.number);
  key.made = pthread_key_create(&key.number, end) == 0;
}

void *threadValue(const ThreadKey &key) {
  return key.made ? pthread_getspecific(key.number) : nullptr;
}

void setThreadValue(const ThreadKey &key, void *value) {
  if (key.made)
    pthread_setspecific(key.number, value);
}

uint64_t thisThread() {
  return (uint64_t)pthread_self(); // a number in glibc, a pointer in musl
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void takeMutex() { pthread_mutex_lock(&mutex); }
void giveMutex() { pthread_mutex_unlock(&mutex); }
bool tryMutex() { return pthread_mutex_trylock(&mutex) == 0; }

bool renewMutex() {
  bool wasFree = pthread_mutex_trylock(&mutex) == 0;
  if (wasFree)
    pthread_mutex_unlock(&mutex);
  else
    mutex = PTHREAD_MUTEX_INITIALIZER;
  return wasFree;
}

void yieldThread() { sched_yield(); }

void sleepFor(uint64_t nanoseconds) {
  constexpr uint64_t kSecond = 1'000'000'000;
  timespec pause = {static_cast<time_t>(nanoseconds / kSecond),
                    static_cast<long>(nanoseconds % kSecond)};
  // A timer of the program may interrupt the sleep repeatedly.
  while (nanosleep(&pause, &pause) != 0 && errno == EINTR) {
  }
}

namespace {
// The data for a new thread, on the creator's stack.
struct ThreadStart {
  void (*run)();
  const char *name;
  bool taken; // stored by the new thread; the creator waits for it
};
} // namespace

void nameThread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

// A thread sets its own name, because another thread would need /proc to set
// it. Tools find the thread by its name, so the creator waits until the name is
// set.
static void *beginThread(void *given) {
  KeptApart apart;
  auto *start = static_cast<ThreadStart *>(given);
  void (*run)() = start->run;
  nameThread(start->name);
  __atomic_store_n(&start->taken, true, __ATOMIC_RELEASE); // see startThread
  run();
  return nullptr;
}

static void *beginNameless(void *run) {
  KeptApart apart;
  reinterpret_cast<void (*)()>(run)();
  return nullptr;
}

// Thread-local variables of all modules. This is an upper bound of those that
// the C library puts beside a thread's stack.
static size_t measureThreadLocals() {
  size_t sum = 0;
  walkLoader(
      [](const LoadedModule &module, void *bytes) {
        for (uint32_t i = 0; i < module.headerCount; ++i)
          if (const Elf64_Phdr &header = module.headers[i];
              header.p_type == PT_TLS)
            *static_cast<size_t *>(bytes) += header.p_memsz + header.p_align;
        return 0;
      },
      &sum);
  return sum;
}

// In glibc, the default size of a stack is the limit of the main thread's stack
// (pthread_create(3)). If a user raises that limit to a GiB, the stacks of
// libtprt's threads would take all addresses that jumps of the libraries reach.
// glibc puts thread-local variables into the stack, and creates the thread even
// if they leave 2 KiB. The program may have set a small default, too.
static size_t stackBytes(size_t usual) {
  constexpr size_t kMost = size_t{64} << 20, kForCalls = size_t{128} << 10;
  const size_t least = measureThreadLocals() + kForCalls;
  const size_t bytes = usual < kMost ? usual : kMost;
  return bytes > least ? bytes : least;
}

// Detached from the start: once the thread is kept apart (apart.h),
// pthread_detach() would free the C library's data for it.
static int createDetached(void *(*run)(void *), void *given) {
  pthread_attr_t attributes;
  pthread_t thread;
  size_t usual = 0;
  if (int error = pthread_attr_init(&attributes))
    return error;
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_getstacksize(&attributes, &usual);
  if (size_t bytes = stackBytes(usual); bytes != usual)
    pthread_attr_setstacksize(&attributes, bytes);
  const int error = pthread_create(&thread, &attributes, run, given);
  pthread_attr_destroy(&attributes);
  return error;
}

bool startThread(void (*run)(), const char *name) {
  prepareToKeepApart();
  SignalsBlocked
      blocked; // The new thread begins with the same signals blocked.
  ThreadStart start = {run, name, false};
  int error = createDetached(name ? beginThread : beginNameless,
                             name ? &start : reinterpret_cast<void *>(run));
  if (error) {
    errno = error;
    return false;
  }
  // Pairs with the store in beginThread.
  while (name && !__atomic_load_n(&start.taken, __ATOMIC_ACQUIRE))
    yieldThread();
  return true;
}

namespace {
// The kernel marks a robust mutex whose owner ends without releasing it
// (get_robust_list(2)).
struct Life {
  pthread_mutex_t mutex;
  bool begun, lost;
};
} // namespace

static Life lives[static_cast<int>(OwnThread::kCount)];
static Life &lifeOf(OwnThread thread) {
  return lives[static_cast<int>(thread)];
}

void beginLife(OwnThread thread) {
  Life &life = lifeOf(thread);
  pthread_mutexattr_t robust;
  pthread_mutexattr_init(&robust);
  pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST);
  life.lost = false;
  pthread_mutex_init(&life.mutex, &robust);
  pthread_mutex_lock(&life.mutex);
  __atomic_store_n(&life.begun, true, __ATOMIC_RELEASE); // see wasKilled
}

void endLife(OwnThread thread) { pthread_mutex_unlock(&lifeOf(thread).mutex); }

// If a mutex's owner was killed, only the first thread that locks the mutex
// sees this. So that thread notes it for other threads.
bool wasKilled(OwnThread thread) {
  Life &life = lifeOf(thread);
  if (!__atomic_load_n(&life.begun, __ATOMIC_ACQUIRE))
    return false;
  if (__atomic_load_n(&life.lost, __ATOMIC_RELAXED))
    return true;
  const int result = pthread_mutex_trylock(&life.mutex);
  if (result == 0)
    pthread_mutex_unlock(&life.mutex);
  if (result == EOWNERDEAD)
    __atomic_store_n(&life.lost, true, __ATOMIC_RELAXED);
  return result == EOWNERDEAD;
}

// The folder has two links, and one more for each thread. A main thread that
// has ended still counts while other threads run.
bool areLastThreads(unsigned count) {
  struct stat tasks;
  char link;
  return stat("/proc/self/task", &tasks) == 0 && tasks.st_nlink == 3 + count &&
         readlink("/proc/self/exe", &link, 1) < 0 && errno == ENOENT;
}

static uint64_t readClock(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<uint64_t>(now.tv_nsec);
}

uint64_t nanoseconds() { return readClock(CLOCK_MONOTONIC); }
uint64_t threadNanoseconds() { return readClock(CLOCK_THREAD_CPUTIME_ID); }

} // namespace tprt
