// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Interposes sigaction() and signal(), for programs whose signal handlers see
// the program's own addresses (os/linux/signals.cpp). Otherwise these functions
// only call the next function of the same name. exit_exec.cpp describes how
// such names are bound. Any thread calls these functions, also in signal
// handlers: async-signal-safe. Not part of libtprt.a.
#include "base/os_process.h"
#include "base/os_signal.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>

#if defined(__x86_64__)
#define TPRT_GLIBC "GLIBC_2.2.5"
#else
#define TPRT_GLIBC "GLIBC_2.17"
#endif
#define TPRT_STANDS_FOR(name, version)                                         \
  __asm__(".symver tprt_interposed_" #name ", " #name "@" version ", remove")
#define TPRT_VISIBLE __attribute__((visibility("default"), used))

namespace tprt {

static SignalChanger *nextAction;
static HandlerChanger *nextHandler, *nextOnce;

// Looked up when the library is loaded, or earlier if another library's
// constructor calls this before.
template <class Type> static Type *next(Type *&known, const char *name) {
  Type *found = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (!found) {
    found = reinterpret_cast<Type *>(dlsym(RTLD_NEXT, name));
    __atomic_store_n(&known, found, __ATOMIC_RELAXED);
  }
  return found;
}

__attribute__((constructor)) static void findAll() {
  next(nextAction, "sigaction");
  next(nextHandler, "signal");
  next(nextOnce, "__sysv_signal");
}

static SignalHandler *change(int number, SignalHandler *handler,
                             HandlerChanger *function) {
  if (function)
    return changeHandler(number, handler, function);
  *programErrno() = ENOSYS; // the C library has no such function
  return SIG_ERR;
}

} // namespace tprt

using namespace tprt;

extern "C" {

TPRT_VISIBLE int tprt_interposed_sigaction(int number,
                                           const struct sigaction *action,
                                           struct sigaction *old) {
  SignalChanger *function = next(nextAction, "sigaction");
  if (function)
    return changeSignal(number, action, old, function);
  *programErrno() = ENOSYS;
  return -1;
}

TPRT_VISIBLE SignalHandler *tprt_interposed_signal(int number,
                                                   SignalHandler *handler) {
  return change(number, handler, next(nextHandler, "signal"));
}

TPRT_VISIBLE SignalHandler *
tprt_interposed___sysv_signal(int number, SignalHandler *handler) {
  return change(number, handler, next(nextOnce, "__sysv_signal"));
}

TPRT_STANDS_FOR(sigaction, TPRT_GLIBC);
TPRT_STANDS_FOR(signal, TPRT_GLIBC);
TPRT_STANDS_FOR(__sysv_signal, TPRT_GLIBC);
}
