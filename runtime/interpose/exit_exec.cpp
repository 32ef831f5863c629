// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// _exit and the exec family end a process without exit(), so the tables of
// TPRT_OPTIONS would not be printed, and tools would not read the last counts.
// Therefore libtprt.so interposes these functions of the C library. The
// interposed functions call functions of at_end.h, and then call the next
// function of the same name. Without TPRT_OPTIONS, they only call the next
// function. fork and daemon are also in this file, because the control has
// threads, which must be started again in a child.
//
// Each function has the C library's own symbol version, but not as the default
// version. So if libtprt.so comes first (linked or preloaded), the dynamic
// linker binds a program's reference to it. The static linker and dlsym() do
// not bind to it; otherwise, every program that calls exec would need
// libtprt.so. Calls from inside the C library do not reach these functions:
// exit(), posix_spawn(), system().
//
// Any thread calls these functions, also in signal handlers. Like the C
// library's functions, they are async-signal-safe: the next function is looked
// up when the library is loaded. Not part of libtprt.a.
#include "control/ends.h"
#include "control/server_start.h"
#include "options/at_end.h"
#include "record/processes.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define TPRT_GLIBC "GLIBC_2.2.5"
#define TPRT_GLIBC_EXECVPE "GLIBC_2.11"
#else
#define TPRT_GLIBC "GLIBC_2.17"
#define TPRT_GLIBC_EXECVPE "GLIBC_2.17"
#endif
#define TPRT_STANDS_FOR(name, version)                                         \
  __asm__(".symver tprt_interposed_" #name ", " #name "@" version ", remove")
#define TPRT_VISIBLE __attribute__((visibility("default"), used))

namespace tprt {

namespace {
enum Function {
  LEAVE,
  EXECVE,
  EXECV,
  EXECVP,
  EXECVPE,
  FEXECVE,
  EXECVEAT,
  FORK,
  COUNT
};
constexpr const char *kNames[] = {"_exit",   "execve",  "execv",    "execvp",
                                  "execvpe", "fexecve", "execveat", "fork"};
void *found[COUNT];
} // namespace

// The next function of that name. findAll() has already found this function,
// except during a constructor that runs before the constructor of this library.
static void *next(Function which) {
  void *function = __atomic_load_n(&found[which], __ATOMIC_RELAXED);
  if (!function) {
    function = dlsym(RTLD_NEXT, kNames[which]);
    __atomic_store_n(&found[which], function, __ATOMIC_RELAXED);
  }
  return function;
}

template <class Type> static Type *nextAs(Function which) {
  return reinterpret_cast<Type *>(next(which));
}

__attribute__((constructor)) static void findAll() {
  for (int i = 0; i < COUNT; ++i)
    next(static_cast<Function>(i));
}

// Lets tools read what the program has recorded so far. A shell searches for a
// program in one folder after another. So if there is no such file, this does
// not wait.
static void pauseFor(int directory, const char *path) {
  int saved = errno;
  if (!*path || syscall(SYS_faccessat, directory, path, X_OK) == 0)
    controlPause();
  errno = saved;
}

static void tellExec(int directory, const char *path) {
  if (path)
    pauseFor(directory, path);
  if (directory == AT_FDCWD || (path && *path == '/'))
    recordExec(path);
  else
    recordExec(nullptr);
  beforeExec(directory, path);
}
static void tellSearch(const char *name) {
  controlPause();
  recordExec(name);
  beforeSearch(name);
}

// An exec returned: the program continues.
static int failed(int status) {
  recordExecFailed();
  return status;
}

} // namespace tprt

using namespace tprt;

extern "C" {

[[noreturn]] TPRT_VISIBLE void tprt_interposed__exit(int status) {
  beforeLeave();
  recordLeave();
  controlLeave();
  if (auto *leave = nextAs<decltype(_exit)>(LEAVE))
    leave(status);
  for (;;)
    syscall(SYS_exit_group, status);
}
[[noreturn]] TPRT_VISIBLE void tprt_interposed__Exit(int status) {
  tprt_interposed__exit(status);
}

TPRT_VISIBLE int tprt_interposed_execve(const char *path,
                                        char *const *arguments,
                                        char *const *environment) {
  tellExec(AT_FDCWD, path);
  return failed(nextAs<decltype(execve)>(EXECVE)(path, arguments, environment));
}

TPRT_VISIBLE int tprt_interposed_execv(const char *path,
                                       char *const *arguments) {
  tellExec(AT_FDCWD, path);
  return failed(nextAs<decltype(execv)>(EXECV)(path, arguments));
}

TPRT_VISIBLE int tprt_interposed_execvp(const char *name,
                                        char *const *arguments) {
  tellSearch(name);
  return failed(nextAs<decltype(execvp)>(EXECVP)(name, arguments));
}

TPRT_VISIBLE int tprt_interposed_execvpe(const char *name,
                                         char *const *arguments,
                                         char *const *environment) {
  tellSearch(name);
  return failed(
      nextAs<decltype(execvpe)>(EXECVPE)(name, arguments, environment));
}

TPRT_VISIBLE int tprt_interposed_fexecve(int file, char *const *arguments,
                                         char *const *environment) {
  tellExec(file, "");
  return failed(
      nextAs<decltype(fexecve)>(FEXECVE)(file, arguments, environment));
}

TPRT_VISIBLE int tprt_interposed_execveat(int directory, const char *path,
                                          char *const *arguments,
                                          char *const *environment, int flags) {
  tellExec(directory, path);
  return failed(nextAs<decltype(execveat)>(EXECVEAT)(directory, path, arguments,
                                                     environment, flags));
}

// A thread can be started in the child only when all atfork handlers have run:
// the program's allocator may have one, and its locks are held until then.
TPRT_VISIBLE pid_t tprt_interposed_fork() {
  pid_t child = nextAs<decltype(fork)>(FORK)();
  if (child == 0)
    controlInChild();
  return child;
}

// As in daemon(3). The C library's own function would neither tell tools of the
// child nor let them read the parent's last counts.
TPRT_VISIBLE int tprt_interposed_daemon(int keepsFolder, int keepsFiles) {
  pid_t child = tprt_interposed_fork();
  if (child > 0)
    tprt_interposed__exit(0);
  if (child < 0 || syscall(SYS_setsid) < 0)
    return -1;
  if (!keepsFolder)
    syscall(SYS_chdir, "/");
  if (keepsFiles)
    return 0;
  int file = open("/dev/null", O_RDWR);
  if (file < 0)
    return -1;
  constexpr dev_t kNullDevice = 0x103; // major 1, minor 3: null(4)
  struct stat found;
  if (syscall(SYS_fstat, file, &found) != 0 || !S_ISCHR(found.st_mode) ||
      found.st_rdev != kNullDevice) {
    close(file);
    errno = ENODEV;
    return -1;
  }
  for (int standard = STDIN_FILENO; standard <= STDERR_FILENO; ++standard)
    if (standard != file)
      syscall(SYS_dup3, file, standard, 0);
  if (file > STDERR_FILENO)
    close(file);
  return 0;
}

// The shared runtime of the address sanitizer, which GCC uses by default, calls
// this function for its options. The sanitizer's runtime ends the program if it
// is not the first in the program's list of libraries. With LD_PRELOAD, this
// library is the first. This is harmless, because this library interposes none
// of the sanitizer's functions. If the program has a function of this name,
// that function is used.
TPRT_VISIBLE const char *__asan_default_options() {
  return "verify_asan_link_order=0";
}

// Runs the program for execl, execlp and execle. Like the C library, it makes
// an array of the arguments on the stack. `arguments` begins after `first`.
static int runList(Function which, const char *program, const char *first,
                   va_list arguments) {
  va_list counted;
  va_copy(counted, arguments);
  size_t count = first != nullptr;
  while (count && va_arg(counted, const char *))
    ++count;
  va_end(counted);
  auto **list =
      static_cast<char **>(__builtin_alloca((count + 1) * sizeof(char *)));
  list[0] = const_cast<char *>(first);
  for (size_t i = 1; i <= count; ++i)
    list[i] = va_arg(arguments, char *);
  if (which == EXECVP)
    return tprt_interposed_execvp(program, list);
  if (which == EXECV)
    return tprt_interposed_execv(program, list);
  return tprt_interposed_execve(program, list, va_arg(arguments, char **));
}

#define TPRT_RUN_LIST(which)                                                   \
  va_list arguments;                                                           \
  va_start(arguments, first);                                                  \
  int status = runList(which, program, first, arguments);                      \
  va_end(arguments);                                                           \
  return status

TPRT_VISIBLE int tprt_interposed_execl(const char *program, const char *first,
                                       ...) {
  TPRT_RUN_LIST(EXECV);
}
TPRT_VISIBLE int tprt_interposed_execlp(const char *program, const char *first,
                                        ...) {
  TPRT_RUN_LIST(EXECVP);
}
TPRT_VISIBLE int tprt_interposed_execle(const char *program, const char *first,
                                        ...) {
  TPRT_RUN_LIST(EXECVE);
}

TPRT_STANDS_FOR(fork, TPRT_GLIBC);
TPRT_STANDS_FOR(daemon, TPRT_GLIBC);
TPRT_STANDS_FOR(_exit, TPRT_GLIBC);
TPRT_STANDS_FOR(_Exit, TPRT_GLIBC);
TPRT_STANDS_FOR(execve, TPRT_GLIBC);
TPRT_STANDS_FOR(execv, TPRT_GLIBC);
TPRT_STANDS_FOR(execvp, TPRT_GLIBC);
TPRT_STANDS_FOR(execl, TPRT_GLIBC);
TPRT_STANDS_FOR(execlp, TPRT_GLIBC);
TPRT_STANDS_FOR(execle, TPRT_GLIBC);
TPRT_STANDS_FOR(fexecve, TPRT_GLIBC);
TPRT_STANDS_FOR(execvpe, TPRT_GLIBC_EXECVPE);
TPRT_STANDS_FOR(execveat, "GLIBC_2.34");
}

// Whether the function that programs find by that name is in this library. A
// comparison with the address of this library's function would not work: a
// reference to that function is bound by name, and so leads to the first
// function of that name.
bool tprt::interposes() {
  Dl_info first, own;
  void *leave = dlvsym(RTLD_DEFAULT, "_exit", TPRT_GLIBC);
  return leave && dladdr(leave, &first) &&
         dladdr(reinterpret_cast<void *>(&next), &own) &&
         first.dli_fbase == own.dli_fbase;
}
