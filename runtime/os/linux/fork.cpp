// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers the handlers that run around fork() and at quick_exit(); called
// once, when the library is loaded.
//
// pthread_atfork comes from an object in libc_nonshared.a. In some
// distributions that object has no property notes, so linking it would remove
// these notes from libtprt.so. So this file calls __register_atfork, with which
// pthread_atfork is implemented (Linux Standard Base, "libc"). For the same
// reason it calls __cxa_at_quick_exit in place of at_quick_exit.
#include "base/os_process.h"

#include <pthread.h>
#include <stdlib.h>

// __dso_handle is null in a library that is never unloaded.
extern "C" {
extern void *__dso_handle __attribute__((weak, visibility("hidden")));
#ifdef __GLIBC__
int __register_atfork(void (*)(), void (*)(), void (*)(), void *);
int __cxa_at_quick_exit(void (*)(void *), void *);
#endif
}

namespace tprt {

static void (*quickExitFunction)();

void watchForks(void (*before)(), void (*inParent)(), void (*inChild)()) {
#ifdef __GLIBC__
  __register_atfork(before, inParent, inChild, &__dso_handle);
#else
  pthread_atfork(before, inParent, inChild);
#endif
}

void watchQuickExit(void (*function)()) {
  quickExitFunction = function;
#ifdef __GLIBC__
  __cxa_at_quick_exit([](void *) { quickExitFunction(); }, &__dso_handle);
#else
  at_quick_exit(function);
#endif
}

} // namespace tprt
