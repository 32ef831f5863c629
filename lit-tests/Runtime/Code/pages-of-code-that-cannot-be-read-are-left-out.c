// If a program makes a page of its code unreadable, it gets no probes there, and a message says so. Its
// other functions are probed. Otherwise the reader of code would crash the program.
//
// RUN: gcc -O2 %s %tprt_flags -o %t
// RUN: env TPRT_OPTIONS=verbose=1 %t 2>&1 | FileCheck %s
//
// CHECK: 4096 bytes of its code can't be read: no probes there
// CHECK: secret: 0 sites
// CHECK-NEXT: shown: 1 sites, 10 hits
#include "../Inputs/harness.h"
#include <sys/mman.h>

static volatile int turns;
void secret(void);
__asm__(".section .text.page, \"ax\"\n.p2align 12\n.type secret, @function\n"
        "secret: .cfi_startproc\nleaq secret(%rip), %rax\nret\n.cfi_endproc\n.size secret, . - secret\n"
        ".p2align 12\n.text\n");
__attribute__((noinline)) void shown(void) { ++turns; }

static tprt_probe *count(const char *name) {
  tprt_selector selector = {.function = name, .kinds = TPRT_KIND_SET_ENTRY, .module = "*/pages-of-code*",
                            .flags = TPRT_SELECT_CODE | TPRT_SELECT_LOADED};
  tprt_action action = {.kind = TPRT_ACTION_COUNT};
  tprt_probe *probe = NULL;
  tprt_result result;
  tprt_probe_attach(&selector, &action, &probe, &result);
  printf("%s: %zu sites", name, result.matched);
  return probe;
}

int main(void) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (mprotect((void *)secret, 4096, PROT_NONE) != 0)
    return 1;
  count("secret");
  puts("");
  tprt_probe *probe = count("shown");
  for (int i = 0; i < 10; ++i)
    shown();
  printf(", %d hits\n", (int)tprt_probe_count(probe));
  return 0;
}
