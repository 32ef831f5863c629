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
// library's. The end of the thread sets the bit again. All else that glibc does
// for its threads (the data of new modules, stacks, the copy in a fork) stays.
// glibc tells debuggers where the word is (nptl_db; the symbol below: bits,
// number, offset), so it is not guessed. The bit is the fifth from glibc 2.3 to
// 2.41. Where the symbol says anything unusual, nothing is done.
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

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>

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

void prepareToKeepApart() {
#ifdef __GLIBC__
  constexpr uint32_t kBits = 32, kMost = 8192;
  auto *field = static_cast<const uint32_t *>(dlvsym(
      RTLD_DEFAULT, "_thread_db_pthread_cancelhandling", "GLIBC_PRIVATE"));
  if (field && field[0] == kBits && field[1] == 1 &&
      field[2] % sizeof(uint32_t) == 0 && field[2] < kMost)
    __atomic_store_n(&wordAt, field[2], __ATOMIC_RELAXED);
#endif
}

static void leaveSetxid() {
  constexpr uint32_t kExiting = 1u << 4, kKnown = 0x7f;
  const uint32_t at = __atomic_load_n(&wordAt, __ATOMIC_RELAXED);
  auto *word = reinterpret_cast<uint32_t *>((uint64_t)pthread_self() + at);
  if (at && !(__atomic_load_n(word, __ATOMIC_RELAXED) & ~kKnown))
    __atomic_fetch_or(word, kExiting, __ATOMIC_SEQ_CST);
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
