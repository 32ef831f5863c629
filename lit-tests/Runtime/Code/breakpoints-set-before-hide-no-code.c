// A debugger, or a uprobe, sets a breakpoint before the first probe is attached. The reader of code must read the
// instruction from the file. Otherwise it would refuse the whole function for good, or it would mistake bytes in the
// middle of an instruction for an instruction. The program would then compute a wrong result once the breakpoint is
// removed.
//
// RUN: gcc -O1 %s %tprt_flags -o %t
// RUN: %t entry choose | FileCheck %s --check-prefix=ENTRY
// RUN: %t block choose+* | FileCheck %s --check-prefix=BLOCK
// RUN: %t block choose | FileCheck %s --check-prefix=BOTH
//
// ENTRY: 2 sites, 1 refused: the bytes there
// ENTRY-NEXT: 6 -5 with 1 stop, 2 hits
// ENTRY-NEXT: 2 sites, 0 refused
// ENTRY-NEXT: 6 -5 with 0 stops, 4 hits
// BLOCK: 7 sites
// BLOCK-NEXT: 6 -5 with 1 stop
// BLOCK-NEXT: 7 sites
// BLOCK-NEXT: 6 -5 with 0 stops
// BOTH: 2 sites, 0 refused
// BOTH-NEXT: 6 -5 with 1 stop, 4 hits
// BOTH-NEXT: 2 sites, 0 refused
// BOTH-NEXT: 6 -5 with 0 stops, 4 hits
#define _GNU_SOURCE
#include "../Inputs/harness.h"
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

// The block after the jump is reached only by a jump.
long choose(long);
__asm__(".text\n.p2align 4\n.globl choose\n.type choose, @function\n"
        "choose: .cfi_startproc\ntestq %rdi, %rdi\njs 1f\nleaq 1(%rdi), %rax\njmp 2f\n"
        "1: movq %rdi, %rax\nnopl (%rax)\n2: ret\n.cfi_endproc\n.size choose, . - choose\n.skip 32, 0xcc\n");

static unsigned char *place, before;
static int stops;

// Continues from the breakpoint as a debugger does, and removes the breakpoint.
static void onTrap(int signal, siginfo_t *info, void *context) {
  (void)signal, (void)info;
  --((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
  *place = before;
  ++stops;
}

static void probe(const char *what) {
  tprt_selector selector = {.function = what, .module = "*/breakpoints-set-before*", .flags = TPRT_SELECT_CODE | TPRT_SELECT_LOADED};
  selector.kinds = strchr(what, '+') ? 0 : TPRT_KIND_SET_ALL;
  tprt_action action = {.kind = TPRT_ACTION_COUNT};
  tprt_result result;
  tprt_probe *probe = NULL;
  tprt_probe_attach(&selector, &action, &probe, &result);
  printf("%zu sites, %zu refused", result.matched, result.refused);
  printf(result.refused ? ": %s\n" : "\n", tprt_refusal_string(result.first_refusal));
  stops = 0;
  long positive = choose(5), negative = choose(-5);
  printf("%ld %ld with %d %s, %d hits\n", positive, negative, stops, stops == 1 ? "stop" : "stops", (int)tprt_probe_count(probe));
  tprt_probe_detach(probe, -1);
}

int main(int argc, char **argv) {
  struct sigaction action = {.sa_sigaction = onTrap, .sa_flags = SA_SIGINFO};
  sigaction(SIGTRAP, &action, NULL);
  place = (unsigned char *)choose + (argc > 1 && !strcmp(argv[1], "block") ? 11 : 0);
  before = *place;
  mprotect((void *)((unsigned long)place & -4096ul), 4096, PROT_READ | PROT_WRITE | PROT_EXEC);
  *place = 0xcc;
  probe(argv[2]);
  probe(argv[2]);
  return 0;
}
