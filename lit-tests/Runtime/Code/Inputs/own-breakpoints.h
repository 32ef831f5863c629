// Breakpoints that a test sets in its own function `tested`, as a debugger does.
#ifndef TP_LIT_TESTS_RUNTIME_CODE_OWN_BREAKPOINTS_H
#define TP_LIT_TESTS_RUNTIME_CODE_OWN_BREAKPOINTS_H

#include "../../Inputs/harness.h"
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

long tested(long);

static unsigned char *const kCode = (unsigned char *)tested;
static unsigned char under[16]; // what was there
static int stops;

static void setBreakpoint(int at) {
  if (kCode[at] != 0xcc)
    under[at] = kCode[at];
  kCode[at] = 0xcc;
}

// Continues as a debugger does from its breakpoint, after the breakpoint is removed.
static void onTrap(int signal, siginfo_t *info, void *context) {
  (void)signal, (void)info;
  greg_t *at = &((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
  unsigned char *place = (unsigned char *)--*at;
  *place = under[place - kCode];
  ++stops;
}

static void beginBreakpoints(void) {
  struct sigaction action = {.sa_sigaction = onTrap, .sa_flags = SA_SIGINFO};
  sigaction(SIGTRAP, &action, NULL);
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  mprotect((void *)((uintptr_t)kCode & -page), page, PROT_READ | PROT_WRITE | PROT_EXEC);
}

// Calls the function, which returns 42, with breakpoints at these of its bytes. 0 means no breakpoint.
static void callWith(const char *name, int second, int third, tprt_probe *probe) {
  stops = 0;
  if (second)
    setBreakpoint(second);
  if (third)
    setBreakpoint(third);
  long result = tested(42);
  printf("%s: %ld, stops %d, hits %d\n", name, result, stops, (int)tprt_probe_count(probe));
}

static void showBytes(void) {
  for (int i = 0; i < 5; ++i)
    printf(i < 4 ? "%02x " : "%02x\n", kCode[i]);
}

#endif
