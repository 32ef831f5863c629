// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See apart.h.
//
// Credentials. In Linux each thread has credentials of its own. POSIX gives a
// process one set, so the C library's setuid() and the like make the change on
// each thread by a signal (nptl(7), "Signals"). glibc aborts the process if the
// result differs between threads. It does differ where the calling thread has
// changed its own capabilities by prctl(PR_SET_KEEPCAPS) and capset(2), which
// concern the calling thread alone: setpriv(1), systemd and others do so before
// they change their group. Our threads have no part in that.
//
// glibc leaves out threads that are ending: it signals no thread whose word
// `cancelhandling` has the bit "exiting". So our threads have it from the
// start. The bit means nothing else while the thread lives: pthread_cancel()
// does not act on the thread, and debuggers do not list it as a thread of the C
// library's. The end of the thread sets the bit again. pthread_detach() would
// free what the C library keeps of the thread, so the thread is made detached.
//
// glibc tells debuggers where the word is (nptl_db; the symbol below: bits,
// number, offset). That it is this word, a thread shows that ends at once: the
// word was 0 in the thread, and afterwards has the bit alone. Where the symbol
// or the word says anything else, nothing is done, and the C library changes
// our threads as it does all others. So it does with musl, and in static
// programs.
//
// The threads follow a change of the process's credentials by themselves
// (credentials.cpp).
//
// The thread sanitizer. It sees this library's accesses in functions that it
// stands in front of, such as memcpy() and read(), and knows nothing of the
// library's own order of events. It takes notes of no access while these
// annotations are on, which the runtimes of clang and GCC have. Other programs
// may have functions of these names, so __tsan_init has to be there, too.
#include "os/linux/apart.h"
#include "core/os.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

// Weak: only the runtime of the thread sanitizer has them. Both compilers
// export them from the program.
extern "C" {
[[gnu::weak]] void __tsan_init();
[[gnu::weak]] void AnnotateIgnoreReadsBegin(const char *file, int line);
[[gnu::weak]] void AnnotateIgnoreReadsEnd(const char *file, int line);
[[gnu::weak]] void AnnotateIgnoreWritesBegin(const char *file, int line);
[[gnu::weak]] void AnnotateIgnoreWritesEnd(const char *file, int line);
}

namespace tprt {

// Where the word is in a thread's descriptor, to which pthread_self() leads. 0:
// not known. Written before the first thread that reads it is made.
static uint32_t wordAt;

// The bit "exiting" in all versions from 2.3 to 2.41.
static constexpr uint32_t kExiting = 1u << 4;

// Whether the word of a thread that has ended is this bit alone. Threads that
// look at the same time store the same.
enum class Looked : uint32_t { Not, Other, Exiting };
static uint32_t looked; // A Looked.

void prepareToKeepApart() {
#ifdef __GLIBC__
  constexpr uint32_t kBits = 32, kMost = 2048;
  auto *field = static_cast<const uint32_t *>(dlvsym(
      RTLD_DEFAULT, "_thread_db_pthread_cancelhandling", "GLIBC_PRIVATE"));
  if (field && field[0] == kBits && field[1] == 1 &&
      field[2] % sizeof(uint32_t) == 0 && field[2] < kMost)
    __atomic_store_n(&wordAt, field[2], __ATOMIC_RELAXED);
#endif
}

static uint32_t *wordOf(pthread_t thread) {
  return reinterpret_cast<uint32_t *>(
      (uint64_t)thread + __atomic_load_n(&wordAt, __ATOMIC_RELAXED));
}

namespace {
// What a thread says that ends at once.
struct Ending {
  uint32_t word;
  int32_t id; // stored last; the creator waits for it
};
} // namespace

static void *endAtOnce(void *given) {
  auto *ending = static_cast<Ending *>(given);
  ending->word = __atomic_load_n(wordOf(pthread_self()), __ATOMIC_RELAXED);
  const auto id = static_cast<int32_t>(syscall(SYS_gettid));
  __atomic_store_n(&ending->id, id, __ATOMIC_RELEASE); // see look()
  return nullptr;
}

// Under a filter of system calls, whether the thread has ended is not asked.
static uint32_t wordAtEnd(const uint32_t *word, int32_t thread) {
  constexpr uint64_t kMost = 2'000'000'000;
  const bool mayAskKernel =
      prctl(PR_GET_SECCOMP) != 2 && processId() > 0 && mayAsk(HitCall::Ids);
  const uint64_t begin = nanoseconds();
  for (;; yieldThread()) {
    const bool isOver =
        mayAskKernel ? hasThreadEnded(thread) : nanoseconds() > begin + kMost;
    const uint32_t now = __atomic_load_n(word, __ATOMIC_RELAXED);
    if (isOver || now == kExiting)
      return now;
  }
}

// What the C library keeps of a thread that has ended stays until it is
// detached. On one of our threads: the program's must not wait for the
// functions that the new thread calls, as these may be probed.
static Looked look() {
  Ending ending = {0, 0};
  pthread_t thread;
  if (!__atomic_load_n(&wordAt, __ATOMIC_RELAXED) ||
      pthread_create(&thread, nullptr, endAtOnce, &ending) != 0)
    return Looked::Other;
  while (!__atomic_load_n(&ending.id, __ATOMIC_ACQUIRE))
    yieldThread();
  const uint32_t word = wordAtEnd(wordOf(thread), ending.id);
  pthread_detach(thread);
  return ending.word == 0 && word == kExiting ? Looked::Exiting : Looked::Other;
}

static Looked whatWasSeen() {
  return static_cast<Looked>(__atomic_load_n(&looked, __ATOMIC_RELAXED));
}

bool isOutOfSetxid() { return whatWasSeen() == Looked::Exiting; }

static void leaveSetxid() {
  if (whatWasSeen() == Looked::Not)
    __atomic_store_n(&looked, static_cast<uint32_t>(look()), __ATOMIC_RELAXED);
  if (isOutOfSetxid())
    __atomic_fetch_or(wordOf(pthread_self()), kExiting, __ATOMIC_SEQ_CST);
}

static bool isSanitized() {
  return __tsan_init && AnnotateIgnoreReadsBegin && AnnotateIgnoreReadsEnd &&
         AnnotateIgnoreWritesBegin && AnnotateIgnoreWritesEnd;
}

KeptApart::KeptApart() {
  leaveSetxid();
  if (!isSanitized())
    return;
  AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
  AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
}

// The thread sanitizer ends a process whose thread ends while it is ignored.
KeptApart::~KeptApart() {
  if (!isSanitized())
    return;
  AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
  AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
}

} // namespace tprt
