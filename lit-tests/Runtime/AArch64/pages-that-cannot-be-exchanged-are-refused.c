// If the system does not let pages be exchanged, sites that need it are refused with the reason, and the others are
// attached. The program then runs as before. Under PR_SET_MDWE, new pages are written through /proc/self/mem.
//
// REQUIRES: aarch64-system
// RUN: %plain_clang -O1 %s %tprt_flags -o %t
// RUN: %t filter | FileCheck %s --check-prefix=REFUSED
// RUN: %t kill | FileCheck %s --check-prefix=REFUSED
// RUN: %t seal | FileCheck %s --check-prefix=SEALED
// RUN: %t mdwe | FileCheck %s --check-prefix=EXCHANGED
//
// REFUSED: 1 of 2 sites refused, the first plain{{.*}}: its instruction is not a nop, b or bl, so its page has to be exchanged
// REFUSED-NEXT: 10 counted, 0 wrong results, the same bytes 1
// SEALED: {{no mseal|1 of 2 sites refused, the first plain.*: its instruction is not a nop, b or bl, so its page has to be exchanged}}
// SEALED-NEXT: {{no mseal|10 counted}}, 0 wrong results, the same bytes 1
// EXCHANGED: {{no PR_SET_MDWE|20 counted}}, 0 wrong results, the same bytes 1
#include "../Inputs/harness.h"
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

__asm__(".text\n.p2align 14\n.globl nops, plain\n"
        ".type nops, @function\nnops: .cfi_startproc\nnop\nadd x0, x0, #1\nret\n.cfi_endproc\n.size nops, .-nops\n"
        ".type plain, @function\nplain: .cfi_startproc\nadd x0, x0, #1\nret\n.cfi_endproc\n.size plain, .-plain\n"
        ".p2align 14\n");
extern long nops(long), plain(long);

// A filter of mremap(2) to an address that the caller gives.
static void filter(unsigned how) {
  struct sock_filter code[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
                               BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mremap, 0, 3),
                               BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[3])),
                               BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 3 /* MAYMOVE | FIXED */, 0, 1),
                               BPF_STMT(BPF_RET | BPF_K, how), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  struct sock_fprog program = {sizeof code / sizeof *code, code};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
    perror("PR_SET_SECCOMP");
}

int main(int argc, char **argv) {
  char before[64];
  memcpy(before, (void *)nops, sizeof before);
  const char *how = argv[1];
  if (!strcmp(how, "filter"))
    filter(SECCOMP_RET_ERRNO | EPERM);
  if (!strcmp(how, "kill"))
    filter(SECCOMP_RET_KILL_PROCESS);
  if (!strcmp(how, "mdwe") && prctl(65, 1 /* PR_MDWE_REFUSE_EXEC_GAIN */, 0, 0, 0))
    return puts("no PR_SET_MDWE, 0 wrong results, the same bytes 1"), 0;
  tprt_selector all = {.function = "[np][ol][pa][si]*", .kinds = TPRT_KIND_SET_ENTRY, .flags = TPRT_SELECT_CODE};
  tprt_action count = {.kind = TPRT_ACTION_COUNT};
  tprt_probe *probe = NULL;
  if (!strcmp(how, "seal")) {
    if (syscall(462 /* mseal, Linux 6.10 */, nops, 16384, 0))
      return puts("no mseal\nno mseal, 0 wrong results, the same bytes 1"), 0;
  }
  if (tprt_probe_attach(&all, &count, &probe, NULL) != TPRT_STATUS_OK)
    puts(tprt_error_string());
  int wrong = 0;
  for (int i = 0; i < 10; ++i)
    wrong += nops(i) != i + 1 || plain(i) != i + 1;
  int counted = probe ? (int)tprt_probe_count(probe) : 0;
  if (probe)
    tprt_probe_detach(probe, -1);
  printf("%d counted, %d wrong results, the same bytes %d\n", counted, wrong, !memcmp(before, (void *)nops, sizeof before));
  return 0;
}
