// Once the program has requested its own addresses, a signal handler finds the probed function and its callers. This
// holds if the signal arrives at any instruction of a stub, of the code that all stubs call first, or of a trampoline.
// The program then continues undisturbed. The sites are sleds, and all sites of a function without sleds. That function
// has -1 in its frame pointer, so an unwinder needs the right stack pointer. If this fails, a profiler in the program
// loses samples.
//
// RUN: %clang -O1 -no-pie -fplugin-arg-tp-entry=1 -fplugin-arg-tp-exit %s %tprt_flags -o %t
// RUN: %python %S/Inputs/signal-at-each-instruction.py %{libdir}/libtprt.so %t general | FileCheck %s
// RUN: %python %S/Inputs/signal-at-each-instruction.py %{libdir}/libtprt.so %t any | FileCheck %s
// RUN: %python %S/Inputs/signal-at-each-instruction.py %{libdir}/libtprt.so %t count | FileCheck %s
//
// The brk is refused.
// CHECK: 10 sites on, 1 refused, result 5 and 5, enough signals: 0 without function, 0 without caller
#define _GNU_SOURCE
#include "../Inputs/harness.h"
#include <dlfcn.h>
#include <execinfo.h>
#include <signal.h>
#include <string.h>

__asm__(".text\n.globl leaf\n.type leaf, @function\n"
        "leaf: .cfi_startproc\nadd x0, x0, #1\nret\n.cfi_endproc\n.size leaf, .-leaf\n"
        ".type other, @function\n"
        "other: .cfi_startproc\nadd x0, x0, #1\nret\n.cfi_endproc\n.size other, .-other\n"
        ".type probed, @function\n"
        "probed: .cfi_startproc\nnop\n"
        "stp x29, x30, [sp, #-32]!\n.cfi_def_cfa_offset 32\n.cfi_offset 29, -32\n.cfi_offset 30, -24\n"
        "mov x29, #-1\nnop\nb 1f\nbrk #1\n1: bl leaf\n"
        "ldp x29, x30, [sp], #32\n.cfi_def_cfa_offset 0\n.cfi_restore 29\n.cfi_restore 30\n"
        "b other\n.cfi_endproc\n.size probed, .-probed\nprobed_end:\n");
extern long probed(long);
extern const char leaf[], probed_end[];

__attribute__((noinline)) long traced(long x) { __asm__ volatile(""); return x + 1; }
__attribute__((noinline, tp_never)) void begin(void) { __asm__ volatile(""); }
__attribute__((noinline, tp_never)) void end(void) { __asm__ volatile(""); }
__attribute__((noinline, tp_never)) static long caller(void) {
  long result = probed(1) + traced(1);
  __asm__ volatile("" : "+r"(result));
  return result;
}

uint64_t base;
static volatile long signals, strangers, orphans;

static int isWithin(void *at, const void *start, const void *end) {
  return (const char *)at >= (const char *)start && (const char *)at <= (const char *)end;
}
__attribute__((tp_never)) static void onStep(int number) {
  void *frames[40];
  int count = backtrace(frames, 40), functions = 0, callers = 0;
  (void)number;
  for (int i = 0; i < count; ++i) {
    functions += isWithin(frames[i], leaf, probed_end) || isWithin(frames[i], (void *)traced, (char *)traced + 24);
    callers += isWithin(frames[i], (void *)caller, (char *)caller + 64);
  }
  ++signals;
  strangers += !functions;
  orphans += !callers;
}

static int on, refused;
static int visit(const tprt_site *site, void *data) {
  const tprt_site_info info = describe(site);
  (void)data;
  on += info.state == TPRT_SITE_STATE_ON;
  refused += info.state != TPRT_SITE_STATE_ON;
  return 0;
}

__attribute__((tp_never)) int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "";
  tprt_action action = {.handler = ignoreHit};
  if (!strcmp(how, "general"))
    action.flags = TPRT_HANDLER_GENERAL_REGS_ONLY;
  if (!strcmp(how, "count"))
    action = (tprt_action){.kind = TPRT_ACTION_COUNT};
  Dl_info library;
  dladdr(dlsym(RTLD_DEFAULT, "tprt_error_string"), &library);
  base = (uint64_t)library.dli_fbase;
  signal(SIGUSR1, onStep);
  if (tprt_signal_translate() != TPRT_STATUS_OK)
    puts(tprt_error_string());
  void *frames[8];
  backtrace(frames, 8); // loads the unwinder
  tprt_selector all[] = {{.function = "probed", .kinds = TPRT_KIND_SET_ALL, .flags = TPRT_SELECT_CODE},
                         {.function = "probed+*", .flags = TPRT_SELECT_CODE},
                         {.function = "traced", .kinds = TPRT_KIND_SET_ALL}};
  for (int i = 0; i < 3; ++i) {
    tprt_probe *probe;
    tprt_probe_attach(&all[i], &action, &probe, NULL);
  }
  tprt_site_visit(&all[1], visit, NULL);
  tprt_site_visit(&all[2], visit, NULL);
  long before = caller(); // the thread's first hits
  begin();
  long result = caller();
  end();
  printf("%d sites on, %d refused, result %ld and %ld, %s signals: %ld without function, %ld without caller\n", on, refused,
         before, result, signals > 80 ? "enough" : "few", strangers, orphans);
  return 0;
}
