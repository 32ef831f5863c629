// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of the C library that are not system calls; see own_names.h.
// The runtime reads the addresses of these functions from the symbol table of
// the C library's own module. The loader's search would begin in the program,
// and would first find a function of the same name in the program.
//
// The module is found by the address of a function that no program may define,
// because its name is reserved (ISO C, 7.1.3). The module's ELF header is at
// the beginning of a page before that address. The loader's list is not read,
// so the loader's lock is not needed.
//
// None of these functions changes the program's errno. The first call, when the
// library is loaded, finds the addresses of all functions. From then on, the
// pthread functions and clock_gettime are async-signal-safe.
#include "os/linux/clibrary.h"
#include "base/direct_call.h"
#include "os/linux/library_symbols.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

extern "C" int tprt_cxa_atexit() __asm__("__cxa_atexit") __attribute__((weak));
// Before glibc 2.34, the pthread functions are in libpthread, and those of the
// loader in libdl. Each of these libraries defines one of these reserved names,
// and later versions of glibc define neither.
extern "C" {
void __libpthread_freeres() __attribute__((weak));
void __libdl_freeres() __attribute__((weak));
}

namespace tprt {

// --- the C library's module --------------------------------------------------

static constexpr auto kFunctions = static_cast<unsigned>(CFunction::kCount);
static constexpr const char *kNames[kFunctions] = {
#define TPRT_NAME(name) #name,
    TPRT_LOADER_FUNCTIONS(TPRT_NAME) TPRT_C_FUNCTIONS(TPRT_NAME)
#undef TPRT_NAME
};

// Constant once `known` is true. If several threads search at the same time,
// they store the same values.
static void *functions[kFunctions];
static bool known;

// The C library's module; nullptr if the program is static.
static const char *cLibrary;

namespace {
// What a search has found so far.
struct Found {
  void *functions[kFunctions] = {};
  const char *cLibrary = nullptr;

  void *&at(CFunction which) { return functions[static_cast<unsigned>(which)]; }
  void addFrom(const LibrarySymbols &symbols) {
    for (unsigned i = 0; i < kFunctions; ++i)
      if (!functions[i])
        functions[i] = symbols.find(kNames[i]);
  }
  bool addCLibrary(uint64_t address, const char *reserved);
  void addLibraryOf(void (*reserved)());
  void replaceMissing();
  void useSanitizers();
};
} // namespace

// In a program that was linked for a fixed address, the address of a reserved
// function may be that of an entry in the program's PLT. In that case, the
// module at that address does not define the function. Before glibc 2.34,
// libpthread also defines __errno_location, but not getenv.
bool Found::addCLibrary(uint64_t address, const char *reserved) {
  const char *header = headerBefore(address);
  if (!header)
    return false;
  LibrarySymbols symbols(header);
  if (reinterpret_cast<uint64_t>(symbols.find(reserved)) != address ||
      !symbols.find("getenv"))
    return false;
  cLibrary = header;
  addFrom(symbols);
  return true;
}

// The library that defines this function, if it is loaded.
void Found::addLibraryOf(void (*reserved)()) {
  if (!reserved)
    return;
  if (const char *header = headerBefore(reinterpret_cast<uint64_t>(reserved)))
    addFrom(LibrarySymbols(header));
}

// Used in a program without libpthread, as the C library's own
// pthread_mutex_lock is. Such a program cannot start threads.
static int succeed() { return 0; }
static int haveNoThreads() { return ENOSYS; }
static void *haveNoValue() { return nullptr; }

void Found::replaceMissing() {
  auto *none = reinterpret_cast<void *>(haveNoThreads),
       *zero = reinterpret_cast<void *>(succeed);
  const struct {
    CFunction function;
    void *by;
  } substitutes[] = {
      {CFunction::pthread_attr_getstacksize, zero},
      {CFunction::pthread_attr_setstacksize, zero},
      {CFunction::pthread_create, none},
      {CFunction::pthread_key_create, none},
      {CFunction::pthread_setspecific, none},
      {CFunction::pthread_getspecific, reinterpret_cast<void *>(haveNoValue)},
      {CFunction::pthread_mutex_trylock, zero},
      {CFunction::pthread_mutexattr_init, zero},
      {CFunction::pthread_mutexattr_setrobust, zero},
      {CFunction::pthread_testcancel, zero}};
  for (const auto &one : substitutes)
    if (!at(one.function))
      at(one.function) = one.by;
}

// Whether a sanitizer is in the program. These names are reserved.
extern "C" {
void __asan_init() __attribute__((weak));
void __hwasan_init() __attribute__((weak));
void __msan_init() __attribute__((weak));
void __tsan_init() __attribute__((weak));
}
static bool isSanitized() {
  return __asan_init || __hwasan_init || __msan_init || __tsan_init;
}

// A sanitizer's allocator crashes in a thread that is unknown to the sanitizer.
// So in such a program, threads are started by the sanitizer's function, which
// the loader finds first.
void Found::useSanitizers() {
  auto *search = reinterpret_cast<decltype(dlsym) *>(at(CFunction::dlsym));
  if (!search || !isSanitized())
    return;
  if (void *start = search(RTLD_DEFAULT, "pthread_create"))
    at(CFunction::pthread_create) = start;
}

static void findAll() {
  Found found;
  if (!found.addCLibrary(reinterpret_cast<uint64_t>(&tprt_program_errno),
                         "__errno_location") &&
      !found.addCLibrary(reinterpret_cast<uint64_t>(&tprt_cxa_atexit),
                         "__cxa_atexit") &&
      linkedFunctions)
    for (unsigned i = 0; i < kFunctions; ++i)
      found.functions[i] = const_cast<void *>(linkedFunctions[i]);
  found.addLibraryOf(__libpthread_freeres);
  found.addLibraryOf(__libdl_freeres);
  found.replaceMissing();
  found.useSanitizers();
  for (unsigned i = 0; i < kFunctions; ++i)
    __atomic_store_n(&functions[i], found.functions[i], __ATOMIC_RELAXED);
  __atomic_store_n(&cLibrary, found.cLibrary, __ATOMIC_RELAXED);
  __atomic_store_n(&known, true, __ATOMIC_RELEASE);
}

static void *functionOf(CFunction which) {
  if (!__atomic_load_n(&known, __ATOMIC_ACQUIRE))
    findAll();
  return __atomic_load_n(&functions[static_cast<unsigned>(which)],
                         __ATOMIC_RELAXED);
}

template <class Type> static Type *functionAs(CFunction which) {
  return reinterpret_cast<Type *>(functionOf(which));
}

bool hasLoader() { return functionOf(CFunction::dlopen) != nullptr; }

// Replaces dlsym(RTLD_NEXT) in a program without libdl. Each call reads the
// symbol table.
static void *findInCLibrary(const char *name) {
  const char *header = __atomic_load_n(&cLibrary, __ATOMIC_RELAXED);
  return header ? LibrarySymbols(header).find(name) : nullptr;
}

uint64_t addressOfCFunction() {
  return reinterpret_cast<uint64_t>(functionOf(CFunction::getenv));
}

namespace {
// Restores the program's errno, and copies what the C library's function stored
// there to this code's errno.
class ProgramsErrno {
public:
  ProgramsErrno() : place(tprt_program_errno()), saved(*place) {}
  ~ProgramsErrno() {
    errno = *place;
    *place = saved;
  }
  ProgramsErrno(const ProgramsErrno &) = delete;
  ProgramsErrno &operator=(const ProgramsErrno &) = delete;

private:
  int *place;
  int saved;
};
} // namespace

} // namespace tprt

using namespace tprt;

// A function that may store an error.
#define TPRT_CALL(name, ...)                                                   \
  ProgramsErrno kept;                                                          \
  return functionAs<decltype(name)>(CFunction::name)(__VA_ARGS__)
// A function that stores no error.
#define TPRT_CALL_QUIET(name, ...)                                             \
  return functionAs<decltype(name)>(CFunction::name)(__VA_ARGS__)
// A function that may be missing. If the function is missing, the result is
// `failure`.
#define TPRT_CALL_LOADER(name, failure, ...)                                   \
  ProgramsErrno kept;                                                          \
  auto *function = functionAs<decltype(name)>(CFunction::name);                \
  return function ? function(__VA_ARGS__) : failure

extern "C" {

// --- the loader --------------------------------------------------------------

int dl_iterate_phdr(int (*visit)(dl_phdr_info *, size_t, void *), void *data) {
  TPRT_CALL(dl_iterate_phdr, visit, data);
}
int dladdr(const void *address, Dl_info *info) noexcept {
  TPRT_CALL_LOADER(dladdr, 0, address, info);
}
int dlclose(void *handle) noexcept { TPRT_CALL_LOADER(dlclose, -1, handle); }
char *dlerror() noexcept { TPRT_CALL_LOADER(dlerror, nullptr); }
int dlinfo(void *__restrict handle, int request,
           void *__restrict info) noexcept {
  TPRT_CALL_LOADER(dlinfo, -1, handle, request, info);
}
void *dlopen(const char *file, int mode) noexcept {
  TPRT_CALL_LOADER(dlopen, nullptr, file, mode);
}
void *dlsym(void *__restrict handle, const char *__restrict name) noexcept {
  TPRT_CALL_LOADER(dlsym, handle == RTLD_NEXT ? findInCLibrary(name) : nullptr,
                   handle, name);
}
#ifdef __GLIBC__
void *dlvsym(void *__restrict handle, const char *__restrict name,
             const char *__restrict version) noexcept {
  TPRT_CALL_LOADER(dlvsym, nullptr, handle, name, version);
}
#endif

#ifdef __GLIBC__
const char *gnu_get_libc_version() noexcept {
  TPRT_CALL_QUIET(gnu_get_libc_version);
}
#endif

// --- threads -----------------------------------------------------------------

int pthread_attr_destroy(pthread_attr_t *attributes) noexcept {
  TPRT_CALL_QUIET(pthread_attr_destroy, attributes);
}
int pthread_attr_init(pthread_attr_t *attributes) noexcept {
  TPRT_CALL_QUIET(pthread_attr_init, attributes);
}
int pthread_attr_setdetachstate(pthread_attr_t *attributes,
                                int state) noexcept {
  TPRT_CALL_QUIET(pthread_attr_setdetachstate, attributes, state);
}
int pthread_attr_getstacksize(const pthread_attr_t *attributes,
                              size_t *bytes) noexcept {
  TPRT_CALL_QUIET(pthread_attr_getstacksize, attributes, bytes);
}
int pthread_attr_setstacksize(pthread_attr_t *attributes,
                              size_t bytes) noexcept {
  TPRT_CALL_QUIET(pthread_attr_setstacksize, attributes, bytes);
}
int pthread_create(pthread_t *__restrict thread,
                   const pthread_attr_t *__restrict attributes,
                   void *(*run)(void *), void *__restrict data) noexcept {
  TPRT_CALL(pthread_create, thread, attributes, run, data);
}
void *pthread_getspecific(pthread_key_t key) noexcept {
  TPRT_CALL_QUIET(pthread_getspecific, key);
}
int pthread_key_create(pthread_key_t *key, void (*end)(void *)) noexcept {
  TPRT_CALL_QUIET(pthread_key_create, key, end);
}
int pthread_setspecific(pthread_key_t key, const void *value) noexcept {
  TPRT_CALL(pthread_setspecific, key, value);
}
int pthread_mutex_init(pthread_mutex_t *mutex,
                       const pthread_mutexattr_t *attributes) noexcept {
  TPRT_CALL_QUIET(pthread_mutex_init, mutex, attributes);
}
int pthread_mutex_lock(pthread_mutex_t *mutex) noexcept {
  TPRT_CALL_QUIET(pthread_mutex_lock, mutex);
}
int pthread_mutex_trylock(pthread_mutex_t *mutex) noexcept {
  TPRT_CALL_QUIET(pthread_mutex_trylock, mutex);
}
int pthread_mutex_unlock(pthread_mutex_t *mutex) noexcept {
  TPRT_CALL_QUIET(pthread_mutex_unlock, mutex);
}
int pthread_mutexattr_init(pthread_mutexattr_t *attributes) noexcept {
  TPRT_CALL_QUIET(pthread_mutexattr_init, attributes);
}
int pthread_mutexattr_setrobust(pthread_mutexattr_t *attributes,
                                int robust) noexcept {
  TPRT_CALL_QUIET(pthread_mutexattr_setrobust, attributes, robust);
}
pthread_t pthread_self() noexcept { TPRT_CALL_QUIET(pthread_self); }
int pthread_setcancelstate(int state, int *old) {
  TPRT_CALL_QUIET(pthread_setcancelstate, state, old);
}
void pthread_testcancel() { TPRT_CALL_QUIET(pthread_testcancel); }

// --- the environment and the system ------------------------------------------

unsigned long getauxval(unsigned long type) noexcept {
  TPRT_CALL(getauxval, type);
}
char *getenv(const char *name) noexcept { TPRT_CALL(getenv, name); }
char *secure_getenv(const char *name) noexcept {
  TPRT_CALL(secure_getenv, name);
}
long sysconf(int name) noexcept { TPRT_CALL(sysconf, name); }
int sigaction(int number, const struct sigaction *__restrict action,
              struct sigaction *__restrict old) noexcept {
  TPRT_CALL(sigaction, number, action, old);
}
DIR *opendir(const char *path) { TPRT_CALL(opendir, path); }
dirent *readdir(DIR *folder) { TPRT_CALL(readdir, folder); }
int closedir(DIR *folder) { TPRT_CALL(closedir, folder); }

#ifndef __GLIBC__
// --- what a process runs at its end and at forks -----------------------------

int at_quick_exit(void (*run)()) { TPRT_CALL(at_quick_exit, run); }
int pthread_atfork(void (*before)(), void (*inParent)(), void (*inChild)()) {
  TPRT_CALL(pthread_atfork, before, inParent, inChild);
}
#endif

// The compiler's built-in functions of these names would make the symbols
// visible.
__asm__(".hidden __tprt_c_snprintf\n.hidden __tprt_c_vsnprintf");

// --- text --------------------------------------------------------------------

char *strerror(int error) noexcept { TPRT_CALL(strerror, error); }
#ifdef __GLIBC__
const char *strerrordesc_np(int error) noexcept {
  TPRT_CALL_LOADER(strerrordesc_np, nullptr, error);
}
#endif
int vsnprintf(char *__restrict to, size_t bytes, const char *__restrict format,
              va_list arguments) noexcept {
  TPRT_CALL(vsnprintf, to, bytes, format, arguments);
}
int snprintf(char *__restrict to, size_t bytes, const char *__restrict format,
             ...) noexcept {
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(to, bytes, format, arguments);
  va_end(arguments);
  return length;
}

// --- time --------------------------------------------------------------------

// Calls the kernel's function in the process's own memory (the vdso). The
// function needs a tenth of the time of the system call, and seccomp filters do
// not see the call. The function may change vector registers, so
// wallClockInHit() does not call it. vdso(7) has the names.
int clock_gettime(clockid_t clock, timespec *now) noexcept {
  using Read = int(clockid_t, timespec *);
  static bool looked;
  static Read *kernels;
  if (!__atomic_load_n(&looked, __ATOMIC_ACQUIRE)) {
    if (uint64_t header = getauxval(AT_SYSINFO_EHDR)) {
      LibrarySymbols symbols(reinterpret_cast<const char *>(header));
      void *found = symbols.find("__vdso_clock_gettime");
      if (!found)
        found = symbols.find("__kernel_clock_gettime");
      __atomic_store_n(&kernels, reinterpret_cast<Read *>(found),
                       __ATOMIC_RELAXED);
    }
    __atomic_store_n(&looked, true, __ATOMIC_RELEASE);
  }
  Read *read = __atomic_load_n(&kernels, __ATOMIC_RELAXED);
  long result =
      read ? read(clock, now)
           : systemCall(SYS_clock_gettime, clock, reinterpret_cast<long>(now));
  if (result >= 0)
    return 0;
  errno = static_cast<int>(-result);
  return -1;
}
}
