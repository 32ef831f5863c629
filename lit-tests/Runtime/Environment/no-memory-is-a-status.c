// Address space runs out at each allocation of an attach in turn (RLIMIT_AS, slightly higher each
// time). The attach must return a status, never crash, and succeed in the end.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: failed first, done at last, 0 died
#include "tprt/tprt.h"
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) { ++*(int *)data; }
__attribute__((noinline)) void f(void) { __asm__ volatile(""); }

// Returns 0 if attached, hit once and detached, 1 if there was no memory, and 2 otherwise.
static int attempt(size_t bytes) {
  struct rlimit limit = {bytes, bytes};
  setrlimit(RLIMIT_AS, &limit);
  int hits = 0;
  tprt_selector selector = {.function = "f"};
  tprt_action action = {.handler = onHit, .data = &hits};
  tprt_probe *probe;
  tprt_result result;
  tprt_status status = tprt_probe_attach(&selector, &action, &probe, &result);
  f();
  if (status == TPRT_STATUS_NO_MEMORY || (result.refused && result.first_refusal == TPRT_REFUSAL_REACH))
    return hits == 0 && !probe ? 1 : 2;
  // There is too little memory for a thread's block: the attach succeeds, but this hit is not delivered.
  return status == TPRT_STATUS_OK && tprt_probe_detach(probe, -1) == TPRT_STATUS_OK ? hits != 1 : 2;
}

int main() {
  size_t pages = 0, died = 0, done = 0, failed = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  fscanf(file, "%zu", &pages);
  for (size_t extra = 0; extra < 400ul << 20 && done < 3; extra += extra < 1 << 18 ? 4096 : extra / 16 & ~4095ul) {
    fflush(stdout);
    pid_t child = fork();
    if (!child)
      _exit(attempt(pages * 4096 + extra));
    int status;
    waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) == 2)
      ++died, printf("with %zu more: %x\n", extra, status);
    else if (WEXITSTATUS(status) == 0)
      ++done;
    else
      ++failed, done = 0;
  }
  printf("%s first, %s at last, %zu died\n", failed ? "failed" : "never failed", done ? "done" : "never done", died);
}
