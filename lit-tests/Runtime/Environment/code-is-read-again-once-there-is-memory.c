// Each allocation in turn fails while an attach reads a library's code. Later allocations succeed again. The attach must
// not report that nothing matches, and the next attach must probe the library.
//
// REQUIRES: x86_64-host
// RUN: gcc -O1 -DLIBRARY -fPIC -shared %s -o %t.so
// RUN: gcc -O1 %s -rdynamic %tprt_interposed_flags -o %t
// RUN: %t %t.so | FileCheck %s
//
// CHECK: functions: 0 wrong
// CHECK-NEXT: instructions: 0 wrong
#ifdef LIBRARY
__asm__(".text\n.globl eight\neight:\n.macro one\n.p2align 4\nf\\@:\n.type f\\@, @function\n.cfi_startproc\nmovl $8, %eax\nret\n"
        ".cfi_endproc\n.size f\\@, . - f\\@\n.endm\n.rept 1000\none\n.endr\n");
#else
#define _GNU_SOURCE
#include "../Inputs/harness.h"
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static long left = -1; // allocations that succeed; the next one does not
static int fails(void) { return left >= 0 && left-- == 0 ? errno = ENOMEM : 0; }
void *mmap(void *at, size_t bytes, int rights, int flags, int file, off_t offset) {
  return flags & MAP_ANONYMOUS && fails() ? MAP_FAILED : (void *)syscall(SYS_mmap, at, bytes, rights, flags, file, offset);
}
void *mremap(void *at, size_t bytes, size_t wanted, int flags, ...) {
  return fails() ? MAP_FAILED : (void *)syscall(SYS_mremap, at, bytes, wanted, flags, 0);
}

static const char *path;
static int (*eight)(void);

static tprt_status attachCode(const tprt_selector *selector, tprt_probe **probe) {
  tprt_action action = {.kind = TPRT_ACTION_COUNT};
  *probe = NULL;
  return tprt_probe_attach(selector, &action, probe, NULL);
}

// Returns 0 if all is right and nothing failed, 1 if all is right, and 2 otherwise.
static int attempt(const tprt_selector *selector, long successes) {
  tprt_probe *probe;
  left = successes;
  tprt_status first = attachCode(selector, &probe);
  int failed = left < 0;
  left = -1;
  if (first == TPRT_STATUS_NO_MATCH || (probe && tprt_probe_detach(probe, -1)))
    return printf("after %ld: %s\n", successes, tprt_error_string()), fflush(stdout), 2;
  tprt_status second = attachCode(selector, &probe);
  if (eight() != 8 || second || tprt_probe_count(probe) != 1)
    return printf("after %ld, second attach: %s\n", successes, tprt_error_string()), fflush(stdout), 2;
  return failed;
}

static int attempts(const tprt_selector *selector) {
  int wrong = 0, done = 0;
  for (long successes = 0; successes < 1000 && !done && wrong < 5; ++successes) {
    fflush(stdout);
    pid_t child = fork();
    if (!child)
      _exit(attempt(selector, successes));
    int status;
    waitpid(child, &status, 0);
    done = status == 0;
    wrong += !WIFEXITED(status) || WEXITSTATUS(status) == 2;
  }
  return wrong + !done;
}

int main(int argc, char **argv) {
  path = argv[argc - 1];
  eight = (int (*)(void))dlsym(dlopen(path, RTLD_NOW), "eight");
  tprt_selector all = {.module = path, .kinds = TPRT_KIND_SET_ENTRY, .flags = TPRT_SELECT_CODE | TPRT_SELECT_LOADED};
  printf("functions: %d wrong\n", attempts(&all));
  tprt_selector one = {.module = path, .address = (void *)eight, .kinds = TPRT_KIND_SET_INSTRUCTION, .flags = TPRT_SELECT_CODE | TPRT_SELECT_LOADED};
  printf("instructions: %d wrong\n", attempts(&one));
}
#endif
