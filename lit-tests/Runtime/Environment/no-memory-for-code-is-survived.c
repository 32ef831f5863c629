// 3,000 functions without sleds are probed while the process's private memory is limited (RLIMIT_DATA). Each run has a
// slightly higher limit. The attach must not crash, whichever allocation fails. If it reports a site as attached, hits
// there must be counted.
//
// REQUIRES: x86_64-host
// RUN: gcc -O1 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: refused first, all done at last, 0 died
#include "../Inputs/harness.h"
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

// Each function gets a jump.
__asm__(".text\n.macro one\n.p2align 4\nf\\@:\n.type f\\@, @function\n.cfi_startproc\nmovl $8, %eax\nret\n.cfi_endproc\n.size f\\@, . - f\\@\n.endm\n"
        ".p2align 4\neight:\n.rept 3000\none\n.endr\n");
int eight(void); // the first of them

// Returns 0 if attached and counted, 1 if nothing was attached, and 2 otherwise.
static int attempt(size_t bytes) {
  struct rlimit limit = {bytes, bytes};
  setrlimit(RLIMIT_DATA, &limit);
  tprt_selector selector = {.module = "no-memory-for-code*", .kinds = TPRT_KIND_SET_ENTRY, .flags = TPRT_SELECT_CODE | TPRT_SELECT_LOADED};
  tprt_action action = {.kind = TPRT_ACTION_COUNT};
  tprt_probe *probe = NULL;
  tprt_result result;
  tprt_status status = tprt_probe_attach(&selector, &action, &probe, &result);
  if (eight() != 8)
    return 2;
  if (!probe)
    return status == TPRT_STATUS_OK || status == TPRT_STATUS_PARTIAL ? 2 : 1;
  int counted = tprt_probe_count(probe) > 0;
  status = tprt_probe_detach(probe, -1);
  return (status == TPRT_STATUS_OK || status == TPRT_STATUS_NO_MEMORY) && eight() == 8 ? !counted : 2;
}

// The amount of memory that the limit applies to, in bytes: proc(5), "statm", field 6.
static size_t privateBytes(void) {
  size_t pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  fscanf(file, "%*u %*u %*u %*u %*u %zu", &pages);
  fclose(file);
  return pages * 4096;
}

int main(void) {
  size_t died = 0, done = 0, refused = 0, now = privateBytes();
  for (size_t extra = 0; extra < 64ul << 20 && done < 3; extra += 4096) {
    fflush(stdout);
    pid_t child = fork();
    if (!child)
      _exit(attempt(now + extra));
    int status;
    waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) == 2)
      ++died, printf("with %zu more: %x\n", extra, status);
    else if (WEXITSTATUS(status) == 0)
      ++done;
    else
      ++refused, done = 0;
  }
  printf("%s first, %s at last, %zu died\n", refused ? "refused" : "never refused", done ? "all done" : "never done", died);
}
