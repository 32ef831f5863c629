// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Prototypes.h. A pointer to a structure or a function is a void *. An
// argument must not have a name that the language has itself, such as `thread`
// (docs/reference/expressions.md).

#include "Prototypes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace llvm;

namespace tpctl::expressions {
namespace {

constexpr StringLiteral Declarations[] = {
    // memory
    "void *malloc(size_t size)",
    "void *calloc(size_t count, size_t size)",
    "void *realloc(void *ptr, size_t size)",
    "void *reallocarray(void *ptr, size_t count, size_t size)",
    "void free(void *ptr)",
    "int posix_memalign(void **memptr, size_t alignment, size_t size)",
    "void *aligned_alloc(size_t alignment, size_t size)",
    "void *memalign(size_t alignment, size_t size)",
    "void *valloc(size_t size)",
    "size_t malloc_usable_size(void *ptr)",
    "int malloc_trim(size_t pad)",
    "void *mmap(void *addr, size_t length, int prot, int flags, int fd, off_t "
    "offset)",
    "void *mmap64(void *addr, size_t length, int prot, int flags, int fd, "
    "off_t offset)",
    "int munmap(void *addr, size_t length)",
    "void *mremap(void *addr, size_t old_size, size_t new_size, int flags, "
    "...)",
    "int mprotect(void *addr, size_t length, int prot)",
    "int madvise(void *addr, size_t length, int advice)",
    "int msync(void *addr, size_t length, int flags)",
    "int mlock(const void *addr, size_t length)",
    "int munlock(const void *addr, size_t length)",
    "int brk(void *addr)",
    "void *sbrk(intptr_t increment)",
    // operator new and delete of C++
    "void *_Znwm(size_t size)",
    "void *_Znam(size_t size)",
    "void *_ZnwmRKSt9nothrow_t(size_t size, const void *tag)",
    "void *_ZnamRKSt9nothrow_t(size_t size, const void *tag)",
    "void *_ZnwmSt11align_val_t(size_t size, size_t alignment)",
    "void *_ZnamSt11align_val_t(size_t size, size_t alignment)",
    "void _ZdlPv(void *ptr)",
    "void _ZdaPv(void *ptr)",
    "void _ZdlPvm(void *ptr, size_t size)",
    "void _ZdaPvm(void *ptr, size_t size)",
    "void _ZdlPvSt11align_val_t(void *ptr, size_t alignment)",
    "void _ZdlPvmSt11align_val_t(void *ptr, size_t size, size_t alignment)",
    // bytes and strings
    "void *memcpy(void *dest, const void *src, size_t n)",
    "void *mempcpy(void *dest, const void *src, size_t n)",
    "void *memmove(void *dest, const void *src, size_t n)",
    "void *memset(void *s, int c, size_t n)",
    "int memcmp(const void *s1, const void *s2, size_t n)",
    "void *memchr(const void *s, int c, size_t n)",
    "void *memrchr(const void *s, int c, size_t n)",
    "void *memmem(const void *haystack, size_t haystack_length, const void "
    "*needle, size_t needle_length)",
    "size_t strlen(const char *s)",
    "size_t strnlen(const char *s, size_t n)",
    "int strcmp(const char *s1, const char *s2)",
    "int strncmp(const char *s1, const char *s2, size_t n)",
    "int strcasecmp(const char *s1, const char *s2)",
    "int strncasecmp(const char *s1, const char *s2, size_t n)",
    "int strcoll(const char *s1, const char *s2)",
    "char *strcpy(char *dest, const char *src)",
    "char *strncpy(char *dest, const char *src, size_t n)",
    "char *stpcpy(char *dest, const char *src)",
    "char *strcat(char *dest, const char *src)",
    "char *strncat(char *dest, const char *src, size_t n)",
    "char *strchr(const char *s, int c)",
    "char *strrchr(const char *s, int c)",
    "char *strchrnul(const char *s, int c)",
    "char *strstr(const char *haystack, const char *needle)",
    "char *strcasestr(const char *haystack, const char *needle)",
    "size_t strspn(const char *s, const char *accept)",
    "size_t strcspn(const char *s, const char *reject)",
    "char *strpbrk(const char *s, const char *accept)",
    "char *strtok(char *s, const char *delim)",
    "char *strtok_r(char *s, const char *delim, char **saveptr)",
    "char *strsep(char **stringp, const char *delim)",
    "char *strdup(const char *s)",
    "char *strndup(const char *s, size_t n)",
    "char *strerror(int errnum)",
    "long strtol(const char *s, char **endptr, int base)",
    "unsigned long strtoul(const char *s, char **endptr, int base)",
    "long long strtoll(const char *s, char **endptr, int base)",
    "unsigned long long strtoull(const char *s, char **endptr, int base)",
    "double strtod(const char *s, char **endptr)",
    "int atoi(const char *s)",
    "long atol(const char *s)",
    "double atof(const char *s)",
    "void qsort(void *array, size_t count, size_t size, void *compare)",
    "void *bsearch(const void *key, const void *array, size_t count, size_t "
    "size, void *compare)",
    "double ldexp(double x, int exp)",
    "double frexp(double x, int *exp)",
    // files
    "int open(const char *path, int flags, ...)",
    "int open64(const char *path, int flags, ...)",
    "int openat(int dirfd, const char *path, int flags, ...)",
    "int openat64(int dirfd, const char *path, int flags, ...)",
    "int creat(const char *path, mode_t mode)",
    "int close(int fd)",
    "ssize_t read(int fd, void *buf, size_t count)",
    "ssize_t write(int fd, const void *buf, size_t count)",
    "ssize_t pread(int fd, void *buf, size_t count, off_t offset)",
    "ssize_t pread64(int fd, void *buf, size_t count, off_t offset)",
    "ssize_t pwrite(int fd, const void *buf, size_t count, off_t offset)",
    "ssize_t pwrite64(int fd, const void *buf, size_t count, off_t offset)",
    "ssize_t readv(int fd, const void *iov, int iovcnt)",
    "ssize_t writev(int fd, const void *iov, int iovcnt)",
    "ssize_t preadv(int fd, const void *iov, int iovcnt, off_t offset)",
    "ssize_t pwritev(int fd, const void *iov, int iovcnt, off_t offset)",
    "off_t lseek(int fd, off_t offset, int whence)",
    "off_t lseek64(int fd, off_t offset, int whence)",
    "int ftruncate(int fd, off_t length)",
    "int ftruncate64(int fd, off_t length)",
    "int truncate(const char *path, off_t length)",
    "int fallocate(int fd, int mode, off_t offset, off_t length)",
    "int fsync(int fd)",
    "int fdatasync(int fd)",
    "ssize_t sendfile(int out_fd, int in_fd, off_t *offset, size_t count)",
    "ssize_t copy_file_range(int in_fd, off_t *in_offset, int out_fd, off_t "
    "*out_offset, size_t count, unsigned int flags)",
    "int stat(const char *path, void *buf)",
    "int stat64(const char *path, void *buf)",
    "int lstat(const char *path, void *buf)",
    "int lstat64(const char *path, void *buf)",
    "int fstat(int fd, void *buf)",
    "int fstat64(int fd, void *buf)",
    "int fstatat(int dirfd, const char *path, void *buf, int flags)",
    "int fstatat64(int dirfd, const char *path, void *buf, int flags)",
    "int statx(int dirfd, const char *path, int flags, unsigned int mask, void "
    "*buf)",
    "int access(const char *path, int mode)",
    "int faccessat(int dirfd, const char *path, int mode, int flags)",
    "int unlink(const char *path)",
    "int unlinkat(int dirfd, const char *path, int flags)",
    "int remove(const char *path)",
    "int rename(const char *from, const char *to)",
    "int renameat(int from_dirfd, const char *from, int to_dirfd, const char "
    "*to)",
    "int link(const char *from, const char *to)",
    "int symlink(const char *target, const char *path)",
    "ssize_t readlink(const char *path, char *buf, size_t size)",
    "char *realpath(const char *path, char *resolved)",
    "int mkdir(const char *path, mode_t mode)",
    "int rmdir(const char *path)",
    "int chdir(const char *path)",
    "char *getcwd(char *buf, size_t size)",
    "int chmod(const char *path, mode_t mode)",
    "int chown(const char *path, uid_t owner, gid_t group)",
    "void *opendir(const char *path)",
    "void *readdir(void *dir)",
    "void *readdir64(void *dir)",
    "int closedir(void *dir)",
    "int dup(int fd)",
    "int dup2(int fd, int new_fd)",
    "int dup3(int fd, int new_fd, int flags)",
    "int pipe(int *fds)",
    "int pipe2(int *fds, int flags)",
    "int ioctl(int fd, unsigned long request, ...)",
    "int fcntl(int fd, int cmd, ...)",
    "int fcntl64(int fd, int cmd, ...)",
    "int flock(int fd, int operation)",
    // streams
    "void *fopen(const char *path, const char *mode)",
    "void *fopen64(const char *path, const char *mode)",
    "void *fdopen(int fd, const char *mode)",
    "int fclose(void *stream)",
    "size_t fread(void *buf, size_t size, size_t count, void *stream)",
    "size_t fwrite(const void *buf, size_t size, size_t count, void *stream)",
    "char *fgets(char *buf, int size, void *stream)",
    "int fputs(const char *s, void *stream)",
    "int puts(const char *s)",
    "int fgetc(void *stream)",
    "int fputc(int c, void *stream)",
    "int putchar(int c)",
    "int fflush(void *stream)",
    "int fseek(void *stream, long offset, int whence)",
    "long ftell(void *stream)",
    "int printf(const char *format, ...)",
    "int fprintf(void *stream, const char *format, ...)",
    "int sprintf(char *buf, const char *format, ...)",
    "int snprintf(char *buf, size_t size, const char *format, ...)",
    "ssize_t getline(char **lineptr, size_t *n, void *stream)",
    "ssize_t getdelim(char **lineptr, size_t *n, int delim, void *stream)",
    "void perror(const char *s)",
    // sockets
    "int socket(int domain, int type, int protocol)",
    "int socketpair(int domain, int type, int protocol, int *fds)",
    "int bind(int fd, const void *addr, socklen_t addrlen)",
    "int listen(int fd, int backlog)",
    "int accept(int fd, void *addr, socklen_t *addrlen)",
    "int accept4(int fd, void *addr, socklen_t *addrlen, int flags)",
    "int connect(int fd, const void *addr, socklen_t addrlen)",
    "int shutdown(int fd, int how)",
    "ssize_t send(int fd, const void *buf, size_t count, int flags)",
    "ssize_t sendto(int fd, const void *buf, size_t count, int flags, const "
    "void *addr, socklen_t addrlen)",
    "ssize_t sendmsg(int fd, const void *msg, int flags)",
    "ssize_t recv(int fd, void *buf, size_t count, int flags)",
    "ssize_t recvfrom(int fd, void *buf, size_t count, int flags, void *addr, "
    "socklen_t *addrlen)",
    "ssize_t recvmsg(int fd, void *msg, int flags)",
    "int getsockopt(int fd, int level, int option, void *value, socklen_t "
    "*length)",
    "int setsockopt(int fd, int level, int option, const void *value, "
    "socklen_t length)",
    "int getsockname(int fd, void *addr, socklen_t *addrlen)",
    "int getpeername(int fd, void *addr, socklen_t *addrlen)",
    "int getaddrinfo(const char *node, const char *service, const void *hints, "
    "void *res)",
    "void freeaddrinfo(void *res)",
    "int getnameinfo(const void *addr, socklen_t addrlen, char *host, "
    "socklen_t hostlen, char *service, socklen_t servicelen, int flags)",
    "void *gethostbyname(const char *name)",
    // waiting
    "int epoll_create(int size)",
    "int epoll_create1(int flags)",
    "int eventfd(unsigned int initial, int flags)",
    "int epoll_ctl(int epfd, int op, int fd, void *event)",
    "int epoll_wait(int epfd, void *events, int maxevents, int timeout)",
    "int epoll_pwait(int epfd, void *events, int maxevents, int timeout, const "
    "void *sigmask)",
    "int poll(void *fds, nfds_t nfds, int timeout)",
    "int ppoll(void *fds, nfds_t nfds, const void *timeout, const void "
    "*sigmask)",
    "int select(int nfds, void *readfds, void *writefds, void *exceptfds, void "
    "*timeout)",
    "int nanosleep(const void *request, void *remaining)",
    "int clock_nanosleep(clockid_t clock, int flags, const void *request, void "
    "*remaining)",
    "int usleep(unsigned int usec)",
    "unsigned int sleep(unsigned int seconds)",
    "int clock_gettime(clockid_t clock, void *tp)",
    "int gettimeofday(void *tv, void *tz)",
    "time_t time(time_t *tloc)",
    // threads
    "int pthread_create(pthread_t *id, const void *attr, void *start, void "
    "*arg)",
    "int pthread_join(pthread_t id, void **retval)",
    "int pthread_detach(pthread_t id)",
    "int pthread_mutex_lock(void *mutex)",
    "int pthread_mutex_trylock(void *mutex)",
    "int pthread_mutex_timedlock(void *mutex, const void *abstime)",
    "int pthread_mutex_unlock(void *mutex)",
    "int pthread_rwlock_rdlock(void *rwlock)",
    "int pthread_rwlock_wrlock(void *rwlock)",
    "int pthread_rwlock_unlock(void *rwlock)",
    "int pthread_spin_lock(void *lock)",
    "int pthread_spin_unlock(void *lock)",
    "int pthread_cond_wait(void *cond, void *mutex)",
    "int pthread_cond_timedwait(void *cond, void *mutex, const void *abstime)",
    "int pthread_cond_signal(void *cond)",
    "int pthread_cond_broadcast(void *cond)",
    "int pthread_once(void *control, void *routine)",
    "int sem_wait(void *sem)",
    "int sem_trywait(void *sem)",
    "int sem_timedwait(void *sem, const void *abstime)",
    "int sem_post(void *sem)",
    "int sched_yield(void)",
    // processes
    "char *getenv(const char *name)",
    "int setenv(const char *name, const char *value, int overwrite)",
    "int unsetenv(const char *name)",
    "int putenv(char *string)",
    "int execve(const char *path, char **argv, char **envp)",
    "int execv(const char *path, char **argv)",
    "int execvp(const char *file, char **argv)",
    "int execvpe(const char *file, char **argv, char **envp)",
    "int execveat(int dirfd, const char *path, char **argv, char **envp, int "
    "flags)",
    "int posix_spawnp(pid_t *pid, const char *file, const void *actions, const "
    "void *attr, char **argv, char **envp)",
    "pid_t fork(void)",
    "pid_t vfork(void)",
    "int posix_spawn(pid_t *pid, const char *path, const void *actions, const "
    "void *attr, char **argv, char **envp)",
    "pid_t wait(int *wstatus)",
    "pid_t waitpid(pid_t pid, int *wstatus, int options)",
    "pid_t wait4(pid_t pid, int *wstatus, int options, void *rusage)",
    "int system(const char *command)",
    "void *popen(const char *command, const char *type)",
    "int pclose(void *stream)",
    "void exit(int status)",
    "void _exit(int status)",
    "pid_t getpid(void)",
    "int kill(pid_t pid, int sig)",
    "int raise(int sig)",
    "int sigaction(int sig, const void *act, void *oldact)",
    "int sigprocmask(int how, const void *set, void *oldset)",
    "void *dlopen(const char *path, int flags)",
    "void *dlsym(void *handle, const char *symbol)",
    "int dlclose(void *handle)",
    // other libraries
    "char *readline(const char *prompt)",
    "int SSL_read(void *ssl, void *buf, int num)",
    "int SSL_write(void *ssl, const void *buf, int num)",
    "int SSL_read_ex(void *ssl, void *buf, size_t num, size_t *readbytes)",
    "int SSL_write_ex(void *ssl, const void *buf, size_t num, size_t "
    "*written)",
    "int SSL_connect(void *ssl)",
    "int SSL_accept(void *ssl)",
    "int SSL_do_handshake(void *ssl)",
    "int sqlite3_open(const char *path, void **db)",
    "int sqlite3_open_v2(const char *path, void **db, int flags, const char "
    "*vfs)",
    "int sqlite3_prepare_v2(void *db, const char *sql, int bytes, void **stmt, "
    "const char **tail)",
    "int sqlite3_prepare(void *db, const char *sql, int bytes, void **stmt, "
    "const char **tail)",
    "int sqlite3_prepare_v3(void *db, const char *sql, int bytes, unsigned int "
    "flags, void **stmt, const char **tail)",
    "int sqlite3_bind_int(void *stmt, int index, int value)",
    "int sqlite3_bind_int64(void *stmt, int index, long long value)",
    "int sqlite3_bind_text(void *stmt, int index, const char *text, int bytes, "
    "void *destructor)",
    "int sqlite3_close(void *db)",
    "int sqlite3_close_v2(void *db)",
    "int sqlite3_step(void *stmt)",
    "int sqlite3_reset(void *stmt)",
    "int sqlite3_finalize(void *stmt)",
    "int sqlite3_exec(void *db, const char *sql, void *callback, void *arg, "
    "char **errmsg)",
    "void *PQconnectdb(const char *conninfo)",
    "void *PQexec(void *conn, const char *query)",
    "void *PQexecParams(void *conn, const char *command, int params, const "
    "unsigned int *types, const char **values, const int *lengths, const int "
    "*formats, int result_format)",
    "int PQsendQuery(void *conn, const char *query)",
    "int mysql_query(void *mysql, const char *query)",
    "int mysql_real_query(void *mysql, const char *query, unsigned long "
    "length)",
    "int curl_easy_perform(void *handle)",
    "int lzma_code(void *strm, int action)",
    "size_t ZSTD_compress(void *dest, size_t dest_size, const void *source, "
    "size_t source_size, int level)",
    "size_t ZSTD_decompress(void *dest, size_t dest_size, const void *source, "
    "size_t source_size)",
    "int LZ4_compress_default(const void *source, void *dest, int source_size, "
    "int dest_size)",
    "int LZ4_decompress_safe(const void *source, void *dest, int source_size, "
    "int dest_size)",
    "int BZ2_bzCompress(void *strm, int action)",
    "int BZ2_bzDecompress(void *strm)",
    "int deflate(void *strm, int flush)",
    "int inflate(void *strm, int flush)",
    "int compress(unsigned char *dest, unsigned long *dest_length, const "
    "unsigned char *source, unsigned long source_length)",
    "int uncompress(unsigned char *dest, unsigned long *dest_length, const "
    "unsigned char *source, unsigned long source_length)",
};

} // namespace

ArrayRef<StringLiteral> knownDeclarations() { return Declarations; }

static const StringMap<Signature> &allSignatures() {
  static const StringMap<Signature> All = [] {
    StringMap<Signature> Result;
    for (StringRef Each : Declarations) {
      Signature S = cantFail(parseDeclaration(Each));
      std::string Name = S.Function;
      Result.try_emplace(Name, std::move(S));
    }
    return Result;
  }();
  return All;
}

const Signature *findPrototype(StringRef LinkedName) {
  auto Found = allSignatures().find(LinkedName);
  return Found == allSignatures().end() ? nullptr : &Found->second;
}

const Signature *findPrototypeOfSymbol(StringRef Symbol) {
  StringRef Name = Symbol.split('@').first;
  const Signature *Found = findPrototype(Name);
  for (StringRef Prefix : {"__GI_", "__libc_", "_IO_", "__"})
    if (!Found && Name.consume_front(Prefix))
      Found = findPrototype(Name);
  return Found || Name != "cfree" ? Found : findPrototype("free");
}

} // namespace tpctl::expressions
