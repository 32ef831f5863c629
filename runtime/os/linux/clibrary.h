// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions that only the C library can provide, for clibrary.cpp.
#ifndef TPRT_OS_CLIBRARY_H
#define TPRT_OS_CLIBRARY_H

#include <stdint.h>

// The C library's function, which returns the program's errno. own_names.h does
// not rename this function.
extern "C" int *tprt_program_errno() noexcept __asm__("__errno_location");

namespace tprt {

// The loader's functions. A static program may lack these functions, and the
// linker warns about some of them there.
#define TPRT_LOADER_FUNCTIONS(NAME)                                            \
  NAME(dladdr)                                                                 \
  NAME(dlclose)                                                                \
  NAME(dlerror)                                                                \
  NAME(dlinfo)                                                                 \
  NAME(dlopen)                                                                 \
  NAME(dlsym)                                                                  \
  NAME(dlvsym)                                                                 \
  NAME(strerrordesc_np) /* C libraries before glibc 2.32 do not have it. */

#define TPRT_C_FUNCTIONS(NAME)                                                 \
  NAME(closedir)                                                               \
  NAME(dl_iterate_phdr)                                                        \
  NAME(getauxval)                                                              \
  NAME(getenv)                                                                 \
  NAME(opendir)                                                                \
  NAME(pthread_attr_destroy)                                                   \
  NAME(pthread_attr_getstacksize)                                              \
  NAME(pthread_attr_init)                                                      \
  NAME(pthread_attr_setdetachstate)                                            \
  NAME(pthread_attr_setstacksize)                                              \
  NAME(pthread_create)                                                         \
  NAME(pthread_getspecific)                                                    \
  NAME(pthread_key_create)                                                     \
  NAME(pthread_mutex_init)                                                     \
  NAME(pthread_mutex_lock)                                                     \
  NAME(pthread_mutex_trylock)                                                  \
  NAME(pthread_mutex_unlock)                                                   \
  NAME(pthread_mutexattr_init)                                                 \
  NAME(pthread_mutexattr_setrobust)                                            \
  NAME(pthread_self)                                                           \
  NAME(pthread_setcancelstate)                                                 \
  NAME(pthread_setspecific)                                                    \
  NAME(pthread_testcancel)                                                     \
  NAME(readdir)                                                                \
  NAME(secure_getenv)                                                          \
  NAME(sigaction)                                                              \
  NAME(strerror)                                                               \
  NAME(sysconf)                                                                \
  NAME(vsnprintf)                                                              \
  TPRT_OTHER_FUNCTIONS(NAME)

// In glibc, the two functions that musl has are linked into each module.
#ifdef __GLIBC__
#define TPRT_OTHER_FUNCTIONS(NAME) NAME(gnu_get_libc_version)
#else
#define TPRT_OTHER_FUNCTIONS(NAME)                                             \
  NAME(at_quick_exit)                                                          \
  NAME(pthread_atfork)
#endif

enum class CFunction {
#define TPRT_NAME(name) name,
  TPRT_LOADER_FUNCTIONS(TPRT_NAME) TPRT_C_FUNCTIONS(TPRT_NAME)
#undef TPRT_NAME
      kCount
};

// Whether the program has a loader, and so dlopen() and related functions.
bool hasLoader();

// The address of a function in the C library. In a program that was linked for
// a fixed address, the address of a reserved name may be that of an entry in
// the program's PLT.
uint64_t addressOfCFunction();

// The functions that the linker has bound, in the order of the enumeration
// (linked.cpp, in libtprt.a). nullptr in the shared libraries.
extern const void *const *const linkedFunctions;

} // namespace tprt

#endif
