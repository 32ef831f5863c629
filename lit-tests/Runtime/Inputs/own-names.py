"""Names of the C library in libtprt.

own-names.py imports LIBRARY...
    prints each name that a library refers to and that ALLOWED below does not have.
own-names.py program LIBRARY...
    prints a C program with functions that have the names of ISO C or POSIX functions that code like libtprt's would
    call.
    Such a function prints its name and ends the program. Names that the libraries refer to are among them, except those in
    ALLOWED.
"""
import subprocess
import sys

RESERVED = "begins with an underscore: ISO C, 7.1.3, leaves no program such a name"
ALLOWED = {
    "__asan_init": RESERVED,
    "__cxa_at_quick_exit": RESERVED,
    "__cxa_atexit": RESERVED,
    "__cxa_begin_catch": RESERVED,
    "__cxa_demangle": RESERVED,
    "__errno_location": RESERVED,
    "__hwasan_init": RESERVED,
    "__libc_current_sigrtmax": RESERVED,
    "__libdl_freeres": RESERVED,
    "__libpthread_freeres": RESERVED,
    "__libc_current_sigrtmin": RESERVED,
    "__msan_init": RESERVED,
    "__progname": RESERVED,
    "__tsan_init": RESERVED,
    "__register_atfork": RESERVED,
    "__tsan_init": RESERVED,
    "_r_debug": RESERVED,
    "_ZN4tprt10interposesEv": RESERVED,
    "program_invocation_short_name": "the linker's: a second name of __progname, to which nothing is bound",
    **dict.fromkeys(
        ["AnnotateIgnoreReadsBegin", "AnnotateIgnoreReadsEnd", "AnnotateIgnoreWritesBegin", "AnnotateIgnoreWritesEnd"],
        "called only where __tsan_init is, so by the thread sanitizer's runtime",
    ),
    "free": "frees what __cxa_demangle allocated, by the program's own malloc if it has one",
}
# The functions that the runtime calls under other names (runtime/os/linux/own_names.h), and related functions.
NAMES = """
    accept accept4 access atoi at_quick_exit bind chmod clock_gettime clock_nanosleep clone close closedir connect dl_iterate_phdr
    dladdr dlclose dlerror dlinfo dlopen dlsym dlvsym dup dup2 dup3 fallocate fcntl flock fstat fstatat ftruncate futex getauxval
    getcwd getdents64 getenv geteuid getpid getppid getrlimit getsockopt gettid ioctl isatty kill listen lstat madvise membarrier
    memfd_create memrchr mkdir mmap mprotect mremap msync munmap nanosleep open openat opendir pipe2 poll ppoll prctl pread pread64
    process_vm_readv pthread_atfork pthread_attr_destroy pthread_attr_init pthread_attr_setdetachstate pthread_create pthread_detach pthread_getspecific pthread_key_create pthread_kill
    pthread_mutex_lock pthread_mutex_trylock pthread_mutex_unlock pthread_self pthread_setcancelstate pthread_setspecific
    pthread_sigmask pthread_testcancel pwrite pwrite64 read readdir readlink readlinkat recv recvfrom recvmsg sched_yield
    secure_getenv select send sendmsg sendto setpriority setsockopt sigaction sigaddset sigaltstack sigdelset sigemptyset sigfillset
    sigismember signal sigpending sigprocmask sigtimedwait sigwaitinfo sleep snprintf socket stat statfs stpcpy strchr strchrnul
    strcmp strcpy strdup strerror strerrordesc_np strlen strncmp strncpy strnlen strrchr strstr strtol strtoul strtoull syscall
    sysconf tgkill time uname unlink unshare usleep vsnprintf wait4 waitpid write writev
""".split()


def imports(library):
    lines = subprocess.run(["llvm-nm", "-D", "--undefined-only", "--format=just-symbols", library], check=True, capture_output=True, text=True).stdout
    return {name.split("@")[0] for name in lines.split()}


def program(names):
    print("static int failed(const char *name);")
    print("static volatile int sum;")
    print("__attribute__((noinline)) int work(int i) { sum += i; return sum; }")
    print("#ifndef QUIET")
    for name in names:
        print(f'int {name}(void) {{ return failed("{name}"); }}')
    print("#endif")
    print(
        r"""
static long call(long number, long a, long b, long c) {
#ifdef __x86_64__
  long result;
  __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
  return result;
#else
  register long x8 __asm__("x8") = number, x0 __asm__("x0") = a, x1 __asm__("x1") = b, x2 __asm__("x2") = c;
  __asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
  return x0;
#endif
}
#ifdef __x86_64__
enum { WRITE = 1, NANOSLEEP = 35, EXIT_GROUP = 231 };
#else
enum { WRITE = 64, NANOSLEEP = 101, EXIT_GROUP = 94 };
#endif
static int failed(const char *name) {
  long length = 0;
  while (name[length])
    ++length;
  call(WRITE, 2, (long)"called: ", 8);
  call(WRITE, 2, (long)name, length);
  call(WRITE, 2, (long)"\n", 1);
  call(EXIT_GROUP, 99, 0, 0);
  return 0;
}
int main(int count, char **arguments) {
  long pause[2] = {0, 10000000};
  int rounds = count > 1 ? 400 : 10;
  for (int i = 0; i < rounds; ++i) {
    for (int j = 0; j < 100; ++j)
      work(i);
    call(NANOSLEEP, (long)pause, 0, 0);
  }
  return 0;
}"""
    )


def main():
    found = {library: imports(library) for library in sys.argv[2:]}
    if sys.argv[1] == "imports":
        for library, names in found.items():
            print(library.rsplit("/", 1)[-1], sorted(names - set(ALLOWED)))
    else:
        every = set(NAMES).union(*found.values())
        program(sorted(name for name in every if name not in ALLOWED))


main()
