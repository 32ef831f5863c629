// The pages that puns lead to are executable from the beginning, and are written through
// /proc/self/mem. If the system refuses these writes, as with proc_mem.force_override=never, the pages are written
// before they become executable, and the functions are still probed. The jumps at `first` and `second` lead to one
// page, 1.5 GB up, where the heap never begins. That page is already executable when the second jump needs it.
//
// RUN: gcc -O2 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
// RUN: %t refused | FileCheck %s
//
// CHECK: pun: 9 right, 9 counted
// CHECK-NEXT: short_pun: 9 right, 9 counted
// CHECK-NEXT: second: 9 right, 9 counted
// CHECK-NEXT: off: 36 right
#include "../Inputs/harness.h"
#include "Inputs/means.h"
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

// There are no dead bytes near these two functions that their jumps could lead to instead.
long first(long), second(long);
#define BARE_FUNCTION(name, body) ".globl " name "\n.type " name ", @function\n" name ": .cfi_startproc\n" body "ret\n.cfi_endproc\n.size " name ", . - " name "\n"
#define TESTED(name) BARE_FUNCTION(name, "testl %edi, %edi\n.byte 0x2d, 0x20, 0x60, 0, 0\nleaq 1(%rdi), %rax\n")
#define FAR(name) BARE_FUNCTION(name, ".rept 100\naddl $1, %eax\n.endr\n")
__asm__(".text\n" FAR("before") TESTED("first") TESTED("second") FAR("behind"));

static void refuseWrites(void) {
  struct sock_filter code[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
                               BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pwrite64, 0, 1),
                               BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EIO),
                               BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  struct sock_fprog filter = {sizeof code / sizeof *code, code};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
    perror("seccomp");
}

static int callRight(long (*function)(long)) {
  int right = 0;
  for (long value = 1; value <= 9; ++value)
    right += function(value) == value + 1;
  return right;
}

static tprt_probe *watch(const char *name, uint32_t kinds) {
  tprt_selector selector = {.function = name, .kinds = kinds, .flags = TPRT_SELECT_CODE | TPRT_SELECT_LOADED,
                            .module = "*/puns-do-without*"};
  return attachSelected(selector, (tprt_action){.kind = TPRT_ACTION_COUNT});
}

int main(int count, char **arguments) {
  (void)arguments;
  if (count > 1)
    refuseWrites();
  tprt_probe *one = watch("pun", TPRT_KIND_SET_ENTRY);
  tprt_probe *two = watch("short_pun", TPRT_KIND_SET_EXIT);
  int right = callRight(pun);
  printf("pun: %d right, %d counted\n", right, (int)tprt_probe_count(one));
  right = callRight(short_pun);
  printf("short_pun: %d right, %d counted\n", right, (int)tprt_probe_count(two));
  tprt_probe *three = watch("first", TPRT_KIND_SET_ENTRY), *four = watch("second", TPRT_KIND_SET_ENTRY);
  right = callRight(second);
  printf("second: %d right, %d counted\n", right, (int)tprt_probe_count(four));
  tprt_probe *const all[] = {one, two, three, four};
  for (int i = 0; i < 4; ++i)
    tprt_probe_detach(all[i], -1);
  printf("off: %d right\n", callRight(pun) + callRight(short_pun) + callRight(first) + callRight(second));
  return 0;
}
