// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arguments name the work of threads while libtprt is loaded: allocate, fork, load
// (of libraries), signals (1 kHz), threads=N. The threads check their results. The
// program ends at the end of the standard input.
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <pthread.h>
#include <string>
#include <sys/time.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

static std::atomic<bool> ending;
static std::atomic<long> faults, handled;

static void fault(const char *what) {
  ++faults;
  fprintf(stderr, "%s: %s\n", what, strerror(errno));
}

static void sleepFor(long nanoseconds) {
  timespec left = {0, nanoseconds};
  while (nanosleep(&left, &left) && errno == EINTR) {
  }
}

extern "C" __attribute__((noinline)) void step(unsigned n) {
  void *blocks[32];
  for (unsigned i = 0; i < 32; ++i) {
    unsigned char *block =
        static_cast<unsigned char *>(malloc(16u << (i + n) % 12));
    if (!block) {
      fault("malloc");
      abort();
    }
    memset(block, int(i), 16);
    blocks[i] = block;
  }
  for (unsigned i = 0; i < 32; ++i) {
    if (static_cast<unsigned char *>(blocks[i])[15] != i)
      fault("a block");
    free(blocks[i]);
  }
}

static void allocate(unsigned seed) {
  for (unsigned n = seed; !ending; ++n) {
    step(n);
    if (n % 4 == 0)
      sleepFor(100000);
  }
}

static void forks() {
  while (!ending) {
    pid_t child = fork();
    if (child == 0)
      _exit(7);
    int status = 0;
    pid_t got;
    while ((got = waitpid(child, &status, 0)) < 0 && errno == EINTR) {
    }
    if (child < 0 || got != child || !WIFEXITED(status) ||
        WEXITSTATUS(status) != 7)
      fault("fork");
    sleepFor(500000);
  }
}

static void loads() {
  while (!ending) {
    void *library = dlopen("libm.so.6", RTLD_NOW);
    if (!library || !dlsym(library, "cos"))
      fault("dlopen");
    if (library)
      dlclose(library);
    sleepFor(200000);
  }
}

static void handler(int) {
  int saved = errno;
  handled = handled + 1;
  free(nullptr);
  errno = saved;
}

static void signals() {
  struct sigaction action{};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, nullptr);
  itimerval every = {{0, 1000}, {0, 1000}};
  setitimer(ITIMER_REAL, &every, nullptr);
}

int main(int argc, char **argv) {
  std::vector<std::thread> threads;
  for (int i = 1; i < argc; ++i) {
    std::string what = argv[i];
    if (what == "allocate")
      for (unsigned t = 0; t < 3; ++t)
        threads.emplace_back(allocate, t);
    else if (what == "fork")
      threads.emplace_back(forks);
    else if (what == "load")
      threads.emplace_back(loads);
    else if (what == "signals")
      signals();
    else if (what.rfind("threads=", 0) == 0)
      for (int t = atoi(argv[i] + 8); t > 0; --t)
        threads.emplace_back([] {
          while (!ending)
            sleepFor(20000000);
        });
  }
  puts("ready");
  fflush(stdout);
  char byte;
  while (read(0, &byte, 1) > 0) {
  }
  ending = true;
  for (std::thread &t : threads)
    t.join();
  step(0);
  printf("%ld faults\n", faults.load());
  return faults != 0;
}
