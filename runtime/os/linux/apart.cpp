// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See apart.h.
//
// Credentials. In Linux, each thread has separate credentials. In POSIX, a
// process has one set, so the C library's setuid() and related functions make
// the change on each thread by a signal (nptl(7), "Signals"). If the result
// differs between threads, glibc aborts the process. The result differs if the
// calling thread has changed its own capabilities by prctl(PR_SET_KEEPCAPS) and
// capset(2), which affect only the calling thread. setpriv(1), systemd and
// others do this before they change their group. libtprt's threads are excluded
// from these changes.
//
// glibc skips ending threads: if a thread's word `cancelhandling` has the bit
// "exiting", glibc does not signal the thread. So libtprt's threads have this
// bit from the start. While the thread runs, the bit has only two other
// effects: pthread_cancel() does not cancel the thread, and debuggers do not
// list it among the C library's threads. The end of the thread sets the bit
// again. For a thread with this bit, pthread_detach() would free the C
// library's data about the thread, so the thread is created detached.
//
// glibc has a symbol that tells debuggers where the word is (nptl_db; the
// symbol below: bits, number, offset). The symbol does not contain the bit, so
// this works only with versions of glibc whose bit is known. If the symbol, the
// version or the word is not as expected, nothing is done, and the C library
// changes libtprt's threads like all other threads. The same happens with musl,
// and in static programs.
//
// The threads adopt a change of the process's credentials without the C library
// (credentials.cpp).
//
// The thread sanitizer. The thread sanitizer sees this library's accesses in
// intercepted functions, such as memcpy() and read(), but does not know how the
// library orders its accesses. The runtimes of clang and GCC have annotations;
// while these are on, no access is recorded. Other programs may have functions
// with the same names, so the annotations are called only if __tsan_init also
// exists.
#include "os/linux/apart.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>

#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

// These functions are weak, because only the runtime of the thread sanitizer
// has them. Both compilers export them from the program.
extern "C" {
[[gnu::weak]] void __tsan_init();
[[gnu::weak]] void AnnotateIgnoreReadsBegin(const char *file, int line);
[[gnu::weak]] void AnnotateIgnoreReadsEnd(const char *file, int line);
[[gnu::weak]] void AnnotateIgnoreWritesBegin(const char *file, int line);
[[gnu::weak]] void AnnotateIgnoreWritesEnd(const char *file, int line);
}

namespace tprt {

// The offset of the word in a thread's descriptor, to which pthread_self()
// points; 0 if unknown. Written before the first thread that reads it is
// created.
static uint32_t wordAt;

static constexpr uint32_t kExiting = 1u << 4;

#ifdef __GLIBC__
// Whether kExiting is the right bit, which is so in glibc 2.3 to 2.43
// (EXITING_BIT in nptl/descr.h).
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

// This thread's word, or nullptr if unknown.
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

// The thread sanitizer ends the process if a thread ends while its accesses are
// ignored.
KeptApart::~KeptApart() {
  if (!isSanitized())
    return;
  AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
  AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
}

} // namespace tprt
