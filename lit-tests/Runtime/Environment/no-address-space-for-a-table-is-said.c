// If the address space is limited (RLIMIT_AS), the runtime uses only as much of it as its
// sites need. A table that does not fit is refused, and the error gives that reason. If
// the table fits, all its sites are on.
//
// REQUIRES: x86_64-host
// RUN: %clang -O2 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: refused: {{.*}}: no memory for its 200000 sleds (6250 kB) besides 0 of other modules; its sleds stay off (is the address space limited, ulimit -v?
// CHECK: in the end: 200000 sites on
#include "../Inputs/many-sleds.h"
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <tprt/tprt.h>
#include <unistd.h>

MANY_SLEDS("100000", "99999");

static void handler(const tprt_event *e, const tprt_regs *r, void *d) {}

// Whether all sites of the table are on. The message about the table is stored in `text`.
static int attempt(size_t bytes, char *text) {
  struct rlimit limit = {bytes, bytes};
  setrlimit(RLIMIT_AS, &limit);
  tprt_selector selector = {.kinds = TPRT_KIND_SET_ALL};
  tprt_action action = {.handler = handler};
  tprt_probe *probe;
  tprt_result result;
  tprt_status status = tprt_probe_attach(&selector, &action, &probe, &result);
  const char *refusal = strstr(tprt_error_string(), "refused: ");
  if (status == TPRT_STATUS_NO_MEMORY && refusal)
    strcpy(text, refusal);
  return status == TPRT_STATUS_OK && result.enabled == 200000;
}

int main() {
  size_t pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  fscanf(file, "%zu", &pages);
  int pair[2], on = 0;
  pipe(pair);
  char text[600] = "";
  for (size_t extra = 1 << 20; extra < 400ul << 20 && !on; extra += 1 << 20) {
    if (!fork()) {
      on = attempt(pages * 4096 + extra, text);
      write(pair[1], text, sizeof text);
      _exit(on);
    }
    char now[600];
    int status;
    wait(&status);
    read(pair[0], now, sizeof now);
    on = status == 1 << 8;
    if (*now)
      strcpy(text, now);
  }
  printf("%s\nin the end: %d sites on\n", text, on ? 200000 : 0);
}
