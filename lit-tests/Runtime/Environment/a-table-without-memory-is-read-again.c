// If there is no memory for a table of sleds or points, the table is refused, and the error says so. The next call reads
// the table again, and then all its sites are on. Each amount of memory is tried in a process of its own.
//
// REQUIRES: x86_64-host
// RUN: %plain_clang -O1 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: points: refused for lack of memory: some, then on: the same number
// CHECK: sleds: refused for lack of memory: some, then on: the same number
#include "../Inputs/many-sleds.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <tprt/tprt.h>
#include <tprt/trace.h>
#include <unistd.h>

MANY_SLEDS("20000", "19999");

TPRT_POINT(here);
static long hits;
static void handler(const tprt_event *e, const tprt_regs *r, void *d) { ++hits; }

// Attaches with this much address space beyond what is used, and then without a limit. Returns 0 if the first attach was
// not refused because of a table, 1 if the second one was on everywhere, and 2 if it was not.
static int attempt(int ofPoints, size_t extra) {
  tprt_selector selector = {.kinds = ofPoints ? TPRT_KIND_SET_POINT : TPRT_KIND_SET_ALL & ~TPRT_KIND_SET_POINT};
  tprt_action action = {.handler = handler};
  tprt_probe *probe;
  tprt_result result = {0};
  size_t pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (fscanf(file, "%zu", &pages) != 1)
    abort();
  fclose(file);
  struct rlimit limit = {pages * 4096 + extra, RLIM_INFINITY}, none = {RLIM_INFINITY, RLIM_INFINITY};
  setrlimit(RLIMIT_AS, &limit);
  tprt_status status = tprt_probe_attach(&selector, &action, &probe, &result);
  int refused = status != TPRT_STATUS_OK && strstr(tprt_error_string(), "refused: ");
  setrlimit(RLIMIT_AS, &none);
  if (!refused)
    return 0;
  status = tprt_probe_attach(&selector, &action, &probe, &result);
  if (status != TPRT_STATUS_OK)
    fprintf(stderr, "again: %s\n", tprt_error_string());
  TPRT_TRACE(here, "%d", 1);
  return status == TPRT_STATUS_OK && (ofPoints ? hits == 1 : result.enabled == 40000) ? 1 : 2;
}

int main(void) {
  for (int ofPoints = 1; ofPoints >= 0; --ofPoints) {
    int refused = 0, on = 0;
    for (size_t extra = 0; extra < 4096 << 10; extra += extra < 512 << 10 ? 16 << 10 : 128 << 10) {
      if (!fork())
        _exit(attempt(ofPoints, extra));
      int status;
      wait(&status);
      refused += !WIFEXITED(status) || WEXITSTATUS(status) != 0;
      on += WIFEXITED(status) && WEXITSTATUS(status) == 1;
    }
    printf("%s: refused for lack of memory: %s, then on: %s\n", ofPoints ? "points" : "sleds", refused ? "some" : "none",
           on == refused ? "the same number" : "fewer");
    fflush(stdout);
  }
}
