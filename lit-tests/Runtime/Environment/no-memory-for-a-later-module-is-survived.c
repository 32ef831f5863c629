// Memory runs out at each allocation in turn, while a pending counting probe attaches to
// the sites of a later library. The program must not crash, and the probe must count either all
// calls in that library or none.
//
// RUN: rm -rf %t && split-file %s %t
// RUN: %clang -O2 -fPIC -shared -fplugin-arg-tp-entry=2,0 %t/lib.c -o %t/liblater.so
// RUN: %plain_clang %t/main.c -rdynamic %tprt_interposed_flags -Wl,-rpath,%t -o %t/main
// RUN: %t/main | FileCheck %s
//
// CHECK: counted at last, not before, 0 died
//--- lib.c
void later(void) { __asm__ volatile(""); }
//--- main.c
#define _GNU_SOURCE
#include "tprt/tprt.h"
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static long left = -1; // allocations that succeed; the next one does not
static int fails(void) { return left >= 0 && left-- == 0 ? errno = ENOMEM : 0; }
void *mmap(void *at, size_t bytes, int rights, int flags, int file, off_t offset) {
  if (flags & MAP_ANONYMOUS && fails())
    return MAP_FAILED;
  return (void *)syscall(SYS_mmap, at, bytes, rights, flags, file, offset);
}

static int onSite(const tprt_site *site, uint64_t count, void *data) { return ++*(int *)data, 0; }

// Returns 0 if the call was counted, 1 if it was not counted, and 2 if the count does not fit the sites.
static int attempt(long successes) {
  tprt_selector selector = {.function = "later", .flags = TPRT_SELECT_AWAIT};
  tprt_action action = {.kind = TPRT_ACTION_COUNT};
  tprt_probe *probe;
  tprt_probe_attach(&selector, &action, &probe, NULL);
  left = successes;
  void *library = dlopen("liblater.so", RTLD_NOW);
  tprt_module_refresh();
  left = -1;
  if (!library)
    return 1;
  ((void (*)(void))dlsym(library, "later"))();
  int sites = 0;
  tprt_probe_visit_counts(probe, onSite, &sites);
  uint64_t count = tprt_probe_count(probe);
  return tprt_probe_detach(probe, -1) || count != (uint64_t)sites ? 2 : !count;
}

int main() {
  int died = 0, done = 0, failed = 0;
  for (long successes = 0; successes < 500 && done < 10; ++successes) {
    fflush(stdout);
    pid_t child = fork();
    if (!child)
      _exit(attempt(successes));
    int status;
    waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) == 2)
      ++died, printf("after %ld: %x\n", successes, status);
    done = status ? 0 : done + 1;
    failed += WIFEXITED(status) && WEXITSTATUS(status) == 1;
  }
  printf("%s, %s, %d died\n", done ? "counted at last" : "never counted", failed ? "not before" : "always", died);
}
