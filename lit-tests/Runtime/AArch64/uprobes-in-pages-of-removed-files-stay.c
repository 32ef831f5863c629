// If this fails, a uprobe ends the program after a probe was attached to another function of its page: where the file of
// the code was removed, the new page is not mapped from it, and the kernel does not find the uprobe at its breakpoint
// (brk #5). Here, such an instruction stands for a uprobe.
//
// REQUIRES: aarch64-system
// RUN: %plain_clang -O1 -fPIC -shared -DLIBRARY %s -o %t.plain.so
// RUN: %plain_clang -O1 -fPIC -shared -DLIBRARY -DUPROBE %s -o %t.uprobe.so
// RUN: %plain_clang -O1 %s %tprt_flags -o %t
// RUN: %t %t.uprobe.so | FileCheck %s --check-prefix=REFUSED
// RUN: %t %t.plain.so | FileCheck %s --check-prefix=EXCHANGED
//
// REFUSED: 1 of 1 site refused, the first plain
// REFUSED-NEXT: 0 counted, 0 wrong results
// EXCHANGED: 10 counted, 0 wrong results
#ifdef LIBRARY
__asm__(".text\n.p2align 14\n.globl plain\n"
        ".type plain, @function\nplain: .cfi_startproc\nadd x0, x0, #1\nret\n.cfi_endproc\n.size plain, .-plain\n"
#ifdef UPROBE
        ".type other, @function\nother: .cfi_startproc\nbrk #5\nret\n.cfi_endproc\n.size other, .-other\n"
#endif
        ".p2align 14\n");
#else
#include "../Inputs/harness.h"
#include <dlfcn.h>
#include <unistd.h>

int main(int argc, char **argv) {
  void *library = dlopen(argv[1], RTLD_NOW);
  long (*plain)(long) = (long (*)(long))dlsym(library, "plain");
  tprt_selector all = {.function = "plain", .kinds = TPRT_KIND_SET_ENTRY, .flags = TPRT_SELECT_CODE};
  tprt_action count = {.kind = TPRT_ACTION_COUNT};
  tprt_probe *probe = NULL;
  // Names are read from the file.
  if (tprt_probe_attach(&all, &count, &probe, NULL) != TPRT_STATUS_OK || tprt_probe_detach(probe, -1) != TPRT_STATUS_OK)
    puts(tprt_error_string());
  unlink(argv[1]);
  if (tprt_probe_attach(&all, &count, &probe, NULL) != TPRT_STATUS_OK)
    puts(tprt_error_string());
  int wrong = 0;
  for (int i = 0; i < 10; ++i)
    wrong += plain(i) != i + 1;
  int counted = probe ? (int)tprt_probe_count(probe) : 0;
  if (probe)
    tprt_probe_detach(probe, -1);
  printf("%d counted, %d wrong results\n", counted, wrong);
  return 0;
}
#endif
