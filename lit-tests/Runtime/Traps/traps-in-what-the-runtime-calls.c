// libtprt blocks signals at a thread's first hit, and in the thread that answers tools. If libtprt blocked SIGTRAP
// there as well, a trap in a function of the C library that libtprt calls meanwhile would end the process. The first
// run uses a libtprt that calls the functions below by their names. The second run uses the libtprt for users.
//
// REQUIRES: tpctl, x86_64-host
// RUN: gcc -O1 -pthread %s %tprt_interposed_flags -o %t.interposed
// RUN: %t.interposed | FileCheck %s
// RUN: gcc -O1 -pthread %s %tprt_flags -o %t
// RUN: %tpctl count -o - --code --traps "libc.so.6!pthread_*" libc.so.6!getenv libc.so.6!vsnprintf -- %t | FileCheck %s --check-prefix=TOOL
//
// CHECK: the exit has a trap, and was met
// TOOL-DAG: the exit
// TOOL-DAG: {{[0-9].* pthread_create}}
#include "../Inputs/harness.h"
#include <pthread.h>

// These functions come before the C library's. The jump of a pun at a return would lead to the bytes after it,
// so the returns get traps.
#define SYSTEM_CALL(name, number)                                                                                      \
  __asm__(".text\n.globl " name "\n.type " name ", @function\n.p2align 4\n" name ":\n.cfi_startproc\n"                 \
          "movl $8, %r10d\nmovl $" number ", %eax\nsyscall\nret\n.cfi_endproc\n.size " name ", .-" name "\n"           \
          ".byte 0, 0, 0, 0\n")
SYSTEM_CALL("pthread_sigmask", "14");
SYSTEM_CALL("poll", "7");

__attribute__((noipa)) int work(int x) { return x * 3 + 1; }

static void *run(void *unused) {
  work(1); // the thread's first hit
  return unused;
}

int main(void) {
  tprt_selector exits = {.function = "pthread_sigmask", .kinds = TPRT_KIND_SET_EXIT, .flags = TPRT_SELECT_CODE};
  tprt_selector calls = {.function = "work", .kinds = TPRT_KIND_SET_ENTRY, .flags = TPRT_SELECT_CODE | TPRT_SELECT_TRAPS};
  tprt_action action = {.kind = TPRT_ACTION_COUNT};
  tprt_probe *probe = NULL, *other = NULL;
  tprt_status without = tprt_probe_attach(&exits, &action, &probe, NULL);
  exits.flags |= TPRT_SELECT_TRAPS;
  tprt_status with = tprt_probe_attach(&exits, &action, &probe, NULL);
  tprt_probe_attach(&calls, &action, &other, NULL);
  pthread_t thread;
  pthread_create(&thread, NULL, run, NULL);
  pthread_join(thread, NULL);
  int needsTrap = without != TPRT_STATUS_OK && with == TPRT_STATUS_OK;
  printf("the exit %s a trap, and was%s met\n", needsTrap ? "has" : "needs no", tprt_probe_count(probe) ? "" : " not");
  return 0;
}
