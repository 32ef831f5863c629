// The jump at this function's entry needs an island, and no page may become executable any more (mprotect) or be written through
// /proc/self/mem. The refusal must give this reason, not lack of room or of memory. The function runs as before.
//
// REQUIRES: x86_64-host
// RUN: gcc -O1 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
// RUN: %t traps | FileCheck %s
// RUN: %t allowed | FileCheck %s --check-prefix=ALLOWED
//
// CHECK: status 9, the code there cannot be read or made writable, or the site needs other code, which cannot be made executable
// CHECK-NEXT: 9 right, none counted
// ALLOWED: status 0
// ALLOWED-NEXT: status 0
// ALLOWED-NEXT: 9 right, 9 counted
#include "../Inputs/harness.h"
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

// One byte of the entry changes, and its jump leads 757 MiB back.
__asm__(".text\n.p2align 4\n.globl needs_island\n.type needs_island, @function\nneeds_island:\n.cfi_startproc\n"
        "pushq %rbx\n.cfi_def_cfa_offset 16\n.cfi_offset %rbx, -16\nmovl %edi, %ebx\nmovb $0xd0, %cl\nleal 1(%rbx), %eax\npopq %rbx\n"
        ".cfi_def_cfa_offset 8\nret\n.cfi_endproc\n.size needs_island, . - needs_island\nmovl $1, %eax\nmovl $2, %eax\n"
        ".p2align 4\n.globl needs_none\n.type needs_none, @function\nneeds_none:\n.cfi_startproc\nmovl $8, %eax\nret\n"
        ".cfi_endproc\n.size needs_none, . - needs_none\n");
int needs_island(int), needs_none(void);

static void forbid(void) {
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pwrite64, 3, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 0, 3), BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  struct sock_fprog filter = {sizeof code / sizeof *code, code};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
    perror("seccomp");
}

static tprt_probe *watch(const char *function, uint32_t flags) {
  tprt_selector selector = {.function = function, .kinds = TPRT_KIND_SET_ENTRY, .flags = TPRT_SELECT_CODE | flags};
  tprt_action action = {.kind = TPRT_ACTION_COUNT};
  tprt_probe *probe = NULL;
  tprt_result result = {0};
  tprt_status status = tprt_probe_attach(&selector, &action, &probe, &result);
  printf("status %d%s%s\n", status, status ? ", " : "", status ? tprt_refusal_string(result.first_refusal) : "");
  return probe;
}

int main(int count, char **arguments) {
  const char *how = count > 1 ? arguments[1] : "";
  tprt_probe *first = watch("needs_none", 0);
  needs_none();
  if (strcmp(how, "allowed"))
    forbid();
  tprt_probe *probe = watch("needs_island", strcmp(how, "traps") ? 0 : TPRT_SELECT_TRAPS);
  int right = 0;
  for (int i = 0; i < 9; ++i)
    right += needs_island(i) == i + 1;
  if (!probe)
    printf("%d right, none counted\n", right);
  else
    printf("%d right, %d counted\n", right, (int)tprt_probe_count(probe));
  return first == NULL;
}
