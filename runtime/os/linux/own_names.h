// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives the C library's functions other names in the code of the runtime. The
// build includes this header before everything else in each file (the option
// -include in CMakeLists.txt).
//
// The problem: ISO C leaves names such as poll, send and open to programs. The
// loader binds a library's call of poll to the program's own function of that
// name, and the linker does the same with libtprt.a. A preloaded library or a
// sanitizer may also have such functions. Such a function may do something
// else, may not be ready yet, or may be probed. Such a function may also use
// vector registers, which a hit has not saved.
//
// The solution: in the runtime's code, a call of poll leads to __tprt_c_poll,
// which is the runtime's own function:
//  - calls.cpp has system calls,
//  - strings.cpp has functions of strings and of sets of signals,
//  - clibrary.cpp has the functions that only the C library can provide. It
//    calls the C library's own functions by addresses that it reads from the C
//    library's file.
// In the runtime's code, errno is the runtime's own variable. The program's
// errno is programErrno() (base/os_process.h).
//
// The test no-function-of-the-program-is-called.test lists the names that the
// libraries may still refer to, with a reason for each. A build of the runtime
// with a sanitizer keeps the C library's names, because the sanitizer
// intercepts these names.
#ifndef TPRT_OS_LINUX_OWN_NAMES_H
#define TPRT_OS_LINUX_OWN_NAMES_H
#define TPRT_OWN_NAMES

// If _FORTIFY_SOURCE were defined, calls of read would be calls of __read_chk.
#undef _FORTIFY_SOURCE

#define TPRT_PRAGMA(text) _Pragma(#text)
#define TPRT_OWN(name) TPRT_PRAGMA(redefine_extname name __tprt_c_##name)

TPRT_OWN(__errno_location)
// clang-format off
// calls.cpp
TPRT_OWN(abort)
TPRT_OWN(accept4)
TPRT_OWN(bind)
TPRT_OWN(chmod)
TPRT_OWN(clock_gettime)
TPRT_OWN(close)
TPRT_OWN(connect)
TPRT_OWN(dup3)
TPRT_OWN(fallocate)
TPRT_OWN(fcntl)
TPRT_OWN(flock)
TPRT_OWN(fstat)
TPRT_OWN(fstatat)
TPRT_OWN(ftruncate)
TPRT_OWN(getcwd)
TPRT_OWN(geteuid)
TPRT_OWN(getpid)
TPRT_OWN(getppid)
TPRT_OWN(getrlimit)
TPRT_OWN(getsockopt)
TPRT_OWN(ioctl)
TPRT_OWN(isatty)
TPRT_OWN(kill)
TPRT_OWN(listen)
TPRT_OWN(lstat)
TPRT_OWN(madvise)
TPRT_OWN(memfd_create)
TPRT_OWN(mkdir)
TPRT_OWN(mmap)
TPRT_OWN(mprotect)
TPRT_OWN(mremap)
TPRT_OWN(msync)
TPRT_OWN(munmap)
TPRT_OWN(nanosleep)
TPRT_OWN(open)
TPRT_OWN(pipe2)
TPRT_OWN(poll)
TPRT_OWN(prctl)
TPRT_OWN(pread)
TPRT_OWN(pthread_sigmask)
TPRT_OWN(pwrite)
TPRT_OWN(read)
TPRT_OWN(readlink)
TPRT_OWN(recv)
TPRT_OWN(sched_yield)
TPRT_OWN(send)
TPRT_OWN(setpriority)
TPRT_OWN(sigpending)
TPRT_OWN(sigtimedwait)
TPRT_OWN(socket)
TPRT_OWN(stat)
TPRT_OWN(statfs)
TPRT_OWN(syscall)
TPRT_OWN(uname)
TPRT_OWN(unlink)
TPRT_OWN(unshare)
TPRT_OWN(waitpid)
TPRT_OWN(write)
// strings.cpp
TPRT_OWN(atoi)
TPRT_OWN(stpcpy)
TPRT_OWN(strcmp)
TPRT_OWN(strcpy)
TPRT_OWN(strlen)
TPRT_OWN(strncmp)
TPRT_OWN(strncpy)
TPRT_OWN(strnlen)
TPRT_OWN(strtol)
TPRT_OWN(strtoul)
TPRT_OWN(strtoull)
TPRT_OWN(sigaddset)
TPRT_OWN(sigdelset)
TPRT_OWN(sigemptyset)
TPRT_OWN(sigfillset)
TPRT_OWN(sigismember)
// clibrary.cpp
TPRT_OWN(at_quick_exit)
TPRT_OWN(closedir)
TPRT_OWN(dl_iterate_phdr)
TPRT_OWN(dladdr)
TPRT_OWN(dlclose)
TPRT_OWN(dlerror)
TPRT_OWN(dlinfo)
TPRT_OWN(dlopen)
TPRT_OWN(dlsym)
TPRT_OWN(dlvsym)
TPRT_OWN(getauxval)
TPRT_OWN(getenv)
TPRT_OWN(gnu_get_libc_version)
TPRT_OWN(opendir)
TPRT_OWN(pthread_atfork)
TPRT_OWN(pthread_attr_destroy)
TPRT_OWN(pthread_attr_getstacksize)
TPRT_OWN(pthread_attr_init)
TPRT_OWN(pthread_attr_setdetachstate)
TPRT_OWN(pthread_attr_setstacksize)
TPRT_OWN(pthread_create)
TPRT_OWN(pthread_getspecific)
TPRT_OWN(pthread_key_create)
TPRT_OWN(pthread_mutex_init)
TPRT_OWN(pthread_mutex_lock)
TPRT_OWN(pthread_mutex_trylock)
TPRT_OWN(pthread_mutex_unlock)
TPRT_OWN(pthread_mutexattr_init)
TPRT_OWN(pthread_mutexattr_setrobust)
TPRT_OWN(pthread_self)
TPRT_OWN(pthread_setcancelstate)
TPRT_OWN(pthread_setspecific)
TPRT_OWN(pthread_testcancel)
TPRT_OWN(readdir)
TPRT_OWN(secure_getenv)
TPRT_OWN(sigaction)
TPRT_OWN(snprintf)
TPRT_OWN(strerror)
TPRT_OWN(strerrordesc_np)
TPRT_OWN(sysconf)
TPRT_OWN(vsnprintf)
// clang-format on
// The C library's own name of the same variable.
TPRT_PRAGMA(redefine_extname program_invocation_short_name __progname)
#undef TPRT_OWN
#undef TPRT_PRAGMA

// Declares the functions of strings before the compiler itself makes calls of
// them.
#include <string.h>

// C++ headers declare some functions twice, with and without const, and give
// them an assembly name. There can be no second one, so the preprocessor
// renames these functions.
#ifdef __cplusplus
extern "C" {
const void *__tprt_c_memchr(const void *, int, size_t) noexcept;
const void *__tprt_c_memrchr(const void *, int, size_t) noexcept;
const char *__tprt_c_strchr(const char *, int) noexcept;
const char *__tprt_c_strchrnul(const char *, int) noexcept;
const char *__tprt_c_strrchr(const char *, int) noexcept;
const char *__tprt_c_strstr(const char *, const char *) noexcept;
}
#define TPRT_OWN(name, parameters, arguments)                                  \
  template <class Text> Text *tprt_c_##name parameters noexcept {              \
    return static_cast<Text *>(const_cast<void *>(                             \
        static_cast<const void *>(__tprt_c_##name arguments)));                \
  }
TPRT_OWN(memchr, (Text * from, int c, size_t bytes), (from, c, bytes))
TPRT_OWN(memrchr, (Text * from, int c, size_t bytes), (from, c, bytes))
TPRT_OWN(strchr, (Text * text, int c), (text, c))
TPRT_OWN(strchrnul, (Text * text, int c), (text, c))
TPRT_OWN(strrchr, (Text * text, int c), (text, c))
TPRT_OWN(strstr, (Text * text, const char *part), (text, part))
#undef TPRT_OWN
#define memchr tprt_c_memchr
#define memrchr tprt_c_memrchr
#define strchr tprt_c_strchr
#define strchrnul tprt_c_strchrnul
#define strrchr tprt_c_strrchr
#define strstr tprt_c_strstr
#endif

#endif
