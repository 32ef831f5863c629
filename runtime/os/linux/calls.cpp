// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The system calls that the runtime makes, under the names of the C library;
// see own_names.h. Each function makes the same system call as the C library on
// this processor, because a seccomp filter may have been written for that call.
// None of the functions is a cancellation point. All functions use only general
// registers. Any thread may call them, also in hits. Async-signal-safe.
#include "base/direct_call.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

using namespace tprt;

// The types in which the C libraries' headers differ.
#ifdef __GLIBC__
using Request = unsigned long;
using Resource = __rlimit_resource_t;
using Whose = __priority_which_t;
#else
using Request = int;
using Resource = int;
using Whose = int;
#endif

// The kernel's set of signals has 64 bits, and is the beginning of the C
// library's set.
static constexpr long kSetBytes = 8;

template <class Type> static long word(Type *pointer) {
  return reinterpret_cast<long>(pointer);
}
template <class Number> static long word(Number number) {
  return static_cast<long>(number);
}
static long word(decltype(nullptr)) { return 0; }

// Converts a result to that of the C library's functions: if the kernel returns
// a negated errno, sets errno and returns -1.
static long given(long result) {
  constexpr long kMostErrors = 4095;
  if (result >= 0 || result < -kMostErrors)
    return result;
  errno = static_cast<int>(-result);
  return -1;
}
template <class... Arguments>
static long call(long number, Arguments... arguments) {
  return given(systemCall(number, word(arguments)...));
}
template <class... Arguments>
static int callInt(long number, Arguments... arguments) {
  return static_cast<int>(call(number, arguments...));
}

extern "C" {

long syscall(long number, ...) noexcept {
  va_list list;
  va_start(list, number);
  long a[6];
  for (long &argument : a)
    argument = va_arg(list, long);
  va_end(list);
  return given(systemCall(number, a[0], a[1], a[2], a[3], a[4], a[5]));
}

// --- files -------------------------------------------------------------------

int open(const char *path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  mode_t mode = va_arg(list, mode_t); // unused if not passed by the caller
  va_end(list);
  return callInt(SYS_openat, AT_FDCWD, path, flags, mode);
}
int close(int file) { return callInt(SYS_close, file); }
ssize_t read(int file, void *to, size_t bytes) {
  return call(SYS_read, file, to, bytes);
}
ssize_t write(int file, const void *from, size_t bytes) {
  return call(SYS_write, file, from, bytes);
}
ssize_t pread(int file, void *to, size_t bytes, off_t offset) {
  return call(SYS_pread64, file, to, bytes, offset);
}
ssize_t pwrite(int file, const void *from, size_t bytes, off_t offset) {
  return call(SYS_pwrite64, file, from, bytes, offset);
}
int ftruncate(int file, off_t bytes) noexcept {
  return callInt(SYS_ftruncate, file, bytes);
}
int fallocate(int file, int mode, off_t offset, off_t bytes) {
  return callInt(SYS_fallocate, file, mode, offset, bytes);
}
int fcntl(int file, int command, ...) {
  va_list list;
  va_start(list, command);
  long argument = va_arg(list, long);
  va_end(list);
  return callInt(SYS_fcntl, file, command, argument);
}
int ioctl(int file, Request request, ...) noexcept {
  va_list list;
  va_start(list, request);
  long argument = va_arg(list, long);
  va_end(list);
  return callInt(SYS_ioctl, file, request, argument);
}
int isatty(int file) noexcept {
  // The kernel's structure is smaller than the C library's structure.
  termios settings;
  return call(SYS_ioctl, file, TCGETS, &settings) == 0;
}
int flock(int file, int operation) noexcept {
  return callInt(SYS_flock, file, operation);
}
int dup3(int from, int to, int flags) noexcept {
  return callInt(SYS_dup3, from, to, flags);
}
int pipe2(int *ends, int flags) noexcept {
  return callInt(SYS_pipe2, ends, flags);
}
int memfd_create(const char *name, unsigned flags) noexcept {
  return callInt(SYS_memfd_create, name, flags);
}

// On 64-bit processors, the C library uses the kernel's structure.
int fstat(int file, struct stat *status) noexcept {
  return callInt(SYS_fstat, file, status);
}
int fstatat(int folder, const char *__restrict path,
            struct stat *__restrict status, int flags) noexcept {
  return callInt(SYS_newfstatat, folder, path, status, flags);
}
int stat(const char *__restrict path, struct stat *__restrict status) noexcept {
  return fstatat(AT_FDCWD, path, status, 0);
}
int lstat(const char *__restrict path,
          struct stat *__restrict status) noexcept {
  return fstatat(AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW);
}
int statfs(const char *path, struct statfs *status) noexcept {
  return callInt(SYS_statfs, path, status);
}

// AArch64 has only the later forms of these calls (syscalls(2)).
#ifdef SYS_readlink
ssize_t readlink(const char *__restrict path, char *__restrict to,
                 size_t bytes) noexcept {
  return call(SYS_readlink, path, to, bytes);
}
int chmod(const char *path, mode_t mode) noexcept {
  return callInt(SYS_chmod, path, mode);
}
int mkdir(const char *path, mode_t mode) noexcept {
  return callInt(SYS_mkdir, path, mode);
}
int unlink(const char *path) noexcept { return callInt(SYS_unlink, path); }
int poll(pollfd *files, nfds_t count, int milliseconds) {
  return callInt(SYS_poll, files, count, milliseconds);
}
#else
ssize_t readlink(const char *__restrict path, char *__restrict to,
                 size_t bytes) noexcept {
  return call(SYS_readlinkat, AT_FDCWD, path, to, bytes);
}
int chmod(const char *path, mode_t mode) noexcept {
  return callInt(SYS_fchmodat, AT_FDCWD, path, mode);
}
int mkdir(const char *path, mode_t mode) noexcept {
  return callInt(SYS_mkdirat, AT_FDCWD, path, mode);
}
int unlink(const char *path) noexcept {
  return callInt(SYS_unlinkat, AT_FDCWD, path, 0);
}
int poll(pollfd *files, nfds_t count, int milliseconds) {
  timespec limit = {milliseconds / 1000, milliseconds % 1000 * 1'000'000L};
  return callInt(SYS_ppoll, files, count, milliseconds < 0 ? nullptr : &limit,
                 nullptr, kSetBytes);
}
#endif

char *getcwd(char *to, size_t bytes) noexcept {
  // If the folder is unreachable, its path does not begin with a slash
  // (getcwd(2)).
  if (call(SYS_getcwd, to, bytes) < 0)
    return nullptr;
  if (*to == '/')
    return to;
  errno = ENOENT;
  return nullptr;
}

// --- memory ------------------------------------------------------------------

void *mmap(void *at, size_t bytes, int protection, int flags, int file,
           off_t offset) noexcept {
  return reinterpret_cast<void *>(
      call(SYS_mmap, at, bytes, protection, flags, file, offset));
}
void *mremap(void *at, size_t bytes, size_t wanted, int flags, ...) noexcept {
  va_list list;
  va_start(list, flags);
  void *to = va_arg(list, void *);
  va_end(list);
  return reinterpret_cast<void *>(
      call(SYS_mremap, at, bytes, wanted, flags, to));
}
int munmap(void *at, size_t bytes) noexcept {
  return callInt(SYS_munmap, at, bytes);
}
int mprotect(void *at, size_t bytes, int protection) noexcept {
  return callInt(SYS_mprotect, at, bytes, protection);
}
int madvise(void *at, size_t bytes, int advice) noexcept {
  return callInt(SYS_madvise, at, bytes, advice);
}
int msync(void *at, size_t bytes, int flags) {
  return callInt(SYS_msync, at, bytes, flags);
}

// --- processes and threads ---------------------------------------------------

pid_t getpid() noexcept { return static_cast<pid_t>(systemCall(SYS_getpid)); }
pid_t getppid() noexcept { return static_cast<pid_t>(systemCall(SYS_getppid)); }
uid_t geteuid() noexcept { return static_cast<uid_t>(systemCall(SYS_geteuid)); }
int kill(pid_t process, int signal) noexcept {
  return callInt(SYS_kill, process, signal);
}
pid_t waitpid(pid_t process, int *status, int options) {
  return callInt(SYS_wait4, process, status, options, 0);
}
int prctl(int operation, ...) noexcept {
  va_list list;
  va_start(list, operation);
  long a[4];
  for (long &argument : a)
    argument = va_arg(list, long);
  va_end(list);
  return callInt(SYS_prctl, operation, a[0], a[1], a[2], a[3]);
}
int getrlimit(Resource resource, rlimit *limits) noexcept {
  return callInt(SYS_prlimit64, 0, resource, nullptr, limits);
}
int setpriority(Whose which, id_t whose, int value) noexcept {
  return callInt(SYS_setpriority, which, whose, value);
}
int sched_yield() noexcept { return callInt(SYS_sched_yield); }
int unshare(int flags) noexcept { return callInt(SYS_unshare, flags); }
int uname(utsname *names) noexcept { return callInt(SYS_uname, names); }

// The compiler's built-in function of this name would make the symbol visible.
__asm__(".hidden __tprt_c_abort");
[[noreturn]] void abort() noexcept {
  systemCall(SYS_tgkill, systemCall(SYS_getpid), systemCall(SYS_gettid),
             SIGABRT);
  __builtin_trap();
}

// --- time and signals --------------------------------------------------------

int nanosleep(const timespec *wanted, timespec *left) {
  return callInt(SYS_clock_nanosleep, CLOCK_REALTIME, 0, wanted, left);
}

int pthread_sigmask(int how, const sigset_t *__restrict set,
                    sigset_t *__restrict old) noexcept {
  return -static_cast<int>(
      systemCall(SYS_rt_sigprocmask, how, word(set), word(old), kSetBytes));
}
int sigpending(sigset_t *pending) noexcept {
  return callInt(SYS_rt_sigpending, pending, kSetBytes);
}
int sigtimedwait(const sigset_t *__restrict set, siginfo_t *__restrict info,
                 const timespec *__restrict limit) {
  return callInt(SYS_rt_sigtimedwait, set, info, limit, kSetBytes);
}

// --- sockets -----------------------------------------------------------------

int socket(int family, int type, int protocol) noexcept {
  return callInt(SYS_socket, family, type, protocol);
}
int bind(int file, const sockaddr *address, socklen_t bytes) noexcept {
  return callInt(SYS_bind, file, address, bytes);
}
int listen(int file, int most) noexcept {
  return callInt(SYS_listen, file, most);
}
int connect(int file, const sockaddr *address, socklen_t bytes) {
  return callInt(SYS_connect, file, address, bytes);
}
int accept4(int file, sockaddr *__restrict address, socklen_t *__restrict bytes,
            int flags) {
  return callInt(SYS_accept4, file, address, bytes, flags);
}
int getsockopt(int file, int level, int name, void *__restrict value,
               socklen_t *__restrict bytes) noexcept {
  return callInt(SYS_getsockopt, file, level, name, value, bytes);
}
ssize_t send(int file, const void *from, size_t bytes, int flags) {
  return call(SYS_sendto, file, from, bytes, flags, 0, 0);
}
ssize_t recv(int file, void *to, size_t bytes, int flags) {
  return call(SYS_recvfrom, file, to, bytes, flags, 0, 0);
}
}
