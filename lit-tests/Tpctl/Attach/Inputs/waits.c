// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Waits in the system call that the first argument names, for as many
// milliseconds as the second one says. Prints the result, errno, whether the
// wait ended early, and by how many seconds it ended late, without the time in which the
// thread waited for a processor.
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct timespec limit;
static int ends[2], child, milliseconds;
static double *happened; /* when the process below did it; 0: there is none */

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* The time for which this thread has waited for
 * a processor, as far as the kernel reports. */
static double waited(void) {
  unsigned long long ran, delay = 0;
  FILE *file = fopen("/proc/thread-self/schedstat", "r");
  if (file && fscanf(file, "%llu %llu", &ran, &delay) != 2)
    delay = 0;
  if (file)
    fclose(file);
  return (double)delay / 1e9;
}

/* Starts a process that ends, writes or sends a signal after the given time. */
static void later(const char *what) {
  pid_t parent = getpid();
  if ((child = fork()))
    return;
  nanosleep(&limit, 0);
  *happened = now();
  if (!strcmp(what, "write") && write(ends[1], "x", 1) != 1)
    _exit(2);
  if (!strcmp(what, "signal"))
    kill(parent, SIGUSR1);
  if (!strcmp(what, "connect")) {
    struct sockaddr_un to;
    socklen_t bytes = sizeof to;
    getsockname(ends[0], (struct sockaddr *)&to, &bytes);
    connect(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *)&to, bytes);
  }
  _exit(7);
}

static void handler(int signal) { (void)signal; }

static void listenAtSocket(void) {
  struct sockaddr_un any = {.sun_family = AF_UNIX};
  ends[0] = socket(AF_UNIX, SOCK_STREAM, 0);
  bind(ends[0], (struct sockaddr *)&any, sizeof any.sun_family);
  listen(ends[0], 1);
}

static long wait_in(const char *call) {
  char byte;
  static int word = 5;
  struct pollfd file = {ends[0], POLLIN, 0};
  struct epoll_event event = {.events = EPOLLIN};
  sigset_t user, none;
  sigemptyset(&none);
  sigemptyset(&user);
  sigaddset(&user, SIGUSR1);
  int epoll = epoll_create1(0);
  epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event);
#define IS(name) if (!strcmp(call, name))
  IS("nanosleep") return nanosleep(&limit, 0);
  IS("clock_nanosleep") return clock_nanosleep(CLOCK_MONOTONIC, 0, &limit, 0);
  IS("poll") return poll(&file, 1, milliseconds);
  IS("ppoll") return ppoll(&file, 1, &limit, &none);
  IS("select") return select(0, 0, 0, 0, &(struct timeval){limit.tv_sec, limit.tv_nsec / 1000});
  IS("pselect") return pselect(0, 0, 0, 0, &limit, &none);
  IS("futex") return syscall(SYS_futex, &word, FUTEX_WAIT, 5, &limit, 0, 0);
  IS("condition") { // by a condition variable with a time limit
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += limit.tv_sec + (end.tv_nsec + limit.tv_nsec) / 1000000000;
    end.tv_nsec = (end.tv_nsec + limit.tv_nsec) % 1000000000;
    pthread_mutex_lock(&mutex);
    return pthread_cond_timedwait(&cond, &mutex, &end);
  }
  IS("read") return later("write"), read(ends[0], &byte, 1);
  IS("read-limit") return read(ends[0], &byte, 1);
  IS("recv") return later("write"), recv(ends[0], &byte, 1, 0);
  IS("accept") return later("connect"), accept(ends[0], 0, 0) > 0;
  IS("epoll_wait") return later("write"), epoll_wait(epoll, &event, 1, -1);
  IS("epoll_pwait") return later("write"), epoll_pwait(epoll, &event, 1, -1, &none);
  IS("epoll-again") { // the number of calls that did not last 50 ms
    long failed = 0;
    for (int i = 0; i < milliseconds / 50; ++i) {
      double begin = now();
      failed += epoll_wait(epoll, &event, 1, 50) != 0 || now() - begin < 0.05;
    }
    return failed;
  }
  IS("sigwaitinfo") return later("signal"), sigwaitinfo(&user, 0);
  IS("sigsuspend") return later("signal"), sigsuspend(&none);
  IS("pause") {
    later("signal");
    pthread_sigmask(SIG_UNBLOCK, &user, 0);
    return pause();
  }
  IS("wait4") {
    int status = 0;
    later("end");
    return waitpid(child, &status, 0) == child ? WEXITSTATUS(status) : -1;
  }
  exit(3);
}

int main(int argc, char **argv) {
  if (argc < 3)
    return 5;
  milliseconds = atoi(argv[2]);
  limit.tv_sec = milliseconds / 1000;
  limit.tv_nsec = milliseconds % 1000 * 1000000;
  happened = mmap(0, sizeof *happened, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  sigset_t user;
  sigemptyset(&user);
  sigaddset(&user, SIGUSR1);
  sigprocmask(SIG_BLOCK, &user, 0);
  signal(SIGUSR1, handler);
  if (!strcmp(argv[1], "accept"))
    listenAtSocket();
  else if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
    return 4;
  if (!strcmp(argv[1], "read-limit"))
    setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &(struct timeval){limit.tv_sec, limit.tv_nsec / 1000}, sizeof(struct timeval));
  puts("ready");
  fflush(stdout);
  double delay = waited(), begin = now();
  errno = 0;
  long result = wait_in(argv[1]);
  int code = errno;
  double end = now(), due = begin + milliseconds / 1e3;
  delay = waited() - delay;
  printf("%s: %ld, errno %d, %s, %.3f s late\n", argv[1], result, code,
         end < (*happened ? *happened : due - 0.01) ? "early" : "not early",
         end - (*happened ? *happened : due) - delay);
  return 0;
}
