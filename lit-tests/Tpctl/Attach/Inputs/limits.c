// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Waits again and again in a signal handler, so that tpctl stops the thread but does not select it. Each wait has a
// time limit of a millisecond, and returns EINTR if a signal stops it ("epoll", "receive"). Ends when the second
// process, which shares a page with it, has read the end of the standard input. With a second argument a third process
// sends ignored signals, as fast as it can.
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

static volatile int *over;
static int receives;

static void wait(int number) {
  int set = epoll_create1(0), ends[2];
  struct timeval limit = {0, 1000};
  socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
  setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  long waits = 0, ended = 0;
  for (; !*over; ++waits) {
    struct epoll_event event;
    long result = receives ? recv(ends[0], &event, 1, 0) : epoll_wait(set, &event, 1, 1);
    ended += result < 0 && errno == EINTR;
  }
  printf("%s waits, %ld ended early\n", waits > 100 ? "many" : "few", ended);
  fflush(stdout);
  _exit(number != SIGUSR1);
}

int main(int argc, char **argv) {
  over = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  receives = strcmp(argv[1], "receive") == 0;
  pid_t parent = getpid();
  if (fork() == 0) {
    char byte;
    while (read(0, &byte, 1) == 1) {
    }
    *over = 1;
    _exit(0);
  }
  if (argc > 2 && fork() == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (!*over && kill(parent, SIGURG) == 0) {
    }
    _exit(0);
  }
  close(0);
  puts("ready");
  fflush(stdout);
  signal(SIGUSR1, wait);
  return raise(SIGUSR1);
}
