// If this fails, an instruction that the program itself changes in writable code is changed back by libtprt, or lost: the
// page may be exchanged between the program's load and its store. So sites that need an exchange are refused in writable
// code. If the code becomes writable after the attach, the detach still restores the instruction.
//
// RUN: %plain_clang -O1 %s %tprt_flags -o %t
// RUN: %t before | FileCheck %s --check-prefix=BEFORE
// RUN: %t after | FileCheck %s --check-prefix=AFTER
//
// BEFORE: 1 of 2 sites refused, the first plain{{.*}}are the pages writable or sealed
// BEFORE-NEXT: 10 counted, 0 wrong results, the same bytes 1
// AFTER: 20 counted, 0 wrong results, the same bytes 1
#include "../Inputs/harness.h"
#include <string.h>
#include <sys/mman.h>

__asm__(".text\n.p2align 14\n.globl nops, plain\n"
        ".type nops, @function\nnops: .cfi_startproc\nnop\nadd x0, x0, #1\nret\n.cfi_endproc\n.size nops, .-nops\n"
        ".type plain, @function\nplain: .cfi_startproc\nadd x0, x0, #1\nret\n.cfi_endproc\n.size plain, .-plain\n"
        ".p2align 14\n");
extern long nops(long), plain(long);

static void make_writable(void) {
  if (mprotect((void *)nops, 16384, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
    perror("mprotect");
}

int main(int argc, char **argv) {
  char before[64];
  const int first = !strcmp(argv[1], "before");
  memcpy(before, (void *)nops, sizeof before);
  if (first)
    make_writable();
  tprt_selector all = {.function = "[np][ol][pa][si]*", .kinds = TPRT_KIND_SET_ENTRY, .flags = TPRT_SELECT_CODE};
  tprt_action count = {.kind = TPRT_ACTION_COUNT};
  tprt_probe *probe = NULL;
  if (tprt_probe_attach(&all, &count, &probe, NULL) != TPRT_STATUS_OK)
    puts(tprt_error_string());
  int wrong = 0;
  for (int i = 0; i < 10; ++i)
    wrong += nops(i) != i + 1 || plain(i) != i + 1;
  if (!first)
    make_writable();
  int counted = probe ? (int)tprt_probe_count(probe) : 0;
  if (probe)
    tprt_probe_detach(probe, -1);
  wrong += nops(1) != 2 || plain(1) != 2;
  printf("%d counted, %d wrong results, the same bytes %d\n", counted, wrong, !memcmp(before, (void *)nops, sizeof before));
  return 0;
}
