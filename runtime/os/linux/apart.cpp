// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See apart.h.
//
// Credentials. In Linux each thread has separate credentials. POSIX gives a
// process one set, so the C library's setuid() and its relatives make the
// change on each thread by a signal (nptl(7), "Signals"). If the result differs
// between threads, glibc aborts the process. It differs if the calling thread
// has changed its own capabilities by prctl(PR_SET_KEEPCAPS) and capset(2),
// which act on the calling thread alone: setpriv(1), systemd and others do so
// before they change their group. Our threads take no part in that.
//
// glibc leaves out ending threads: if a thread's word `cancelhandling` has the
// bit "exiting", glibc does not signal the thread. So our threads have this bit
// from the start. The bit has no other effect while the thread lives:
// pthread_cancel() does not act on the thread, and debuggers do not list it
// among the C library's threads. The end of the thread sets the bit again.
// pthread_detach() would free what the C library keeps of the thread, so the
// thread is made detached.
//
// glibc tells debuggers where the word is (nptl_db; the symbol below: bits,
// number, offset). It does not tell them the bit, so this works only with
// versions of glibc whose bit is known. If the symbol, the version or the word
// is not as expected, nothing is done, and the C library changes our threads
// like all others. The same happens with musl, and in static programs.
//
// The threads follow a change of the process's credentials by themselves
// (credentials.cpp).
//
// The thread sanitizer. It sees this library's accesses in functions that it
// intercepts, such as memcpy() and read(), but does not know how the library
// orders its accesses. The runtimes of clang and GCC have annotations; while
// these are on, no access is recorded. Other programs may have functions of
// these names, so they are called only if __tsan_init exists, too.
#include "os/linux/apart.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>

#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

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
// not known. Written before the first thread that reads it is created.
static uint32_t wordAt;

static constexpr uint32_t kExiting = 1u << 4;

#ifdef __GLIBC__
// Whether kExiting is the bit: it is in glibc 2.3 to 2.43 (EXITING_BIT in
// nptl/descr.h).
static bool isVersionKnown() {
  constexpr uint64_t kLast = 43;
  const char *version = gnu_get_libc_version();
  if (!version || version[0] != '2' || version[1] != '.')
    return false;
  uint64_t minor = 0;
  for (const char *c = version + 2; *c >= '0' && *c <= '9'; ++c)
    minor = minor * 10 + static_cast<uint64_t>(*c - '0');
  return minor >= 3 && minor <= kLast;
}
#endif

void prepareToKeepApart() {
#ifdef __GLIBC__
  constexpr uint32_t kBits = 32, kMost = 2048;
  auto *field = static_cast<const uint32_t *>(dlvsym(
      RTLD_DEFAULT, "_thread_db_pthread_cancelhandling", "GLIBC_PRIVATE"));
  if (field && field[0] == kBits && field[1] == 1 &&
      field[2] % sizeof(uint32_t) == 0 && field[2] < kMost && isVersionKnown())
    __atomic_store_n(&wordAt, field[2], __ATOMIC_RELAXED);
#endif
}

// This thread's word; nullptr: not known.
static uint32_t *word() {
  const uint32_t at = __atomic_load_n(&wordAt, __ATOMIC_RELAXED);
  return at ? reinterpret_cast<uint32_t *>((uint64_t)pthread_self() + at)
            : nullptr;
}

bool isOutOfSetxid() {
  const uint32_t *mine = word();
  return mine && __atomic_load_n(mine, __ATOMIC_RELAXED) & kExiting;
}

// The word of a new thread is 0.
static void leaveSetxid() {
  uint32_t *mine = word();
  uint32_t expected = 0;
  if (mine)
    __atomic_compare_exchange_n(mine, &expected, kExiting, false,
                                __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
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
