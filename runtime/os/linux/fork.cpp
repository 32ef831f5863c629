// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What pthread_atfork is made of (Linux Standard Base, "libc"). That function
// comes from an object in libc_nonshared.a which, in some distributions, has no
// property notes and would take them from libtprt.so.
#include "core/os.h"

#include <pthread.h>

// __dso_handle is null in a library that is never unloaded.
extern "C" {
extern void *__dso_handle __attribute__((weak, visibility("hidden")));
#ifdef __GLIBC__
int __register_atfork(void (*)(), void (*)(), void (*)(), void *);
#endif
}

namespace tprt {

void watchForks(void (*before)(), void (*inParent)(), void (*inChild)()) {
#ifdef __GLIBC__
  __register_atfork(before, inParent, inChild, &__dso_handle);
#else
  pthread_atfork(before, inParent, inChild);
#endif
}

} // namespace tprt
