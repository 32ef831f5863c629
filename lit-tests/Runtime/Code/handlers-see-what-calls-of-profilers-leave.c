// A handler at a call of mcount sees the function's arguments. A handler at a call of __cyg_profile_func_enter
// sees the function's address. In either handler a backtrace shows the callers, whatever the stack's alignment
// is. Requests that make no sense at such calls are refused: replacing the function, changing the profiler's
// arguments, and timing by such calls. A probe on the function's first instruction and one on the call after it
// do not overwrite each other's bytes.
//
// REQUIRES: x86_64-host
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %plain_clang -O2 -fPIE -I %S/../Inputs -I %tprt_include -c main.c -o main.o
// RUN: gcc -O2 -pg -fPIE -c lib.c -o mcount.o
// RUN: %plain_clang -rdynamic main.o mcount.o %tprt_flags -o mcount
// RUN: ./mcount | FileCheck %s --check-prefixes=CHECK,MCOUNT
// RUN: gcc -O2 -finstrument-functions -fPIE -c lib.c -o cyg.o
// RUN: %plain_clang -rdynamic main.o cyg.o %tprt_flags -o cyg
// RUN: ./cyg | FileCheck %s --check-prefixes=CHECK,CYG
//
// MCOUNT: arguments 40 and 2
// CYG: the function's address
// CHECK-NEXT: any registers: callers known 1
// CHECK-NEXT: general registers: callers known 1
// CHECK-NEXT: redirected: refused
// MCOUNT-NEXT: changed: ok
// CYG-NEXT: changed: refused
// CHECK-NEXT: timed: calls of profilers can't time a function: use TPRT_SELECT_CODE
// MCOUNT-NEXT: the call after a pun: {{no jump fits.*|on}}
// CHECK: after all: 42, the profiler was called
//--- lib.c
int add(int a, int b) { return a + b; }
//--- main.c
#include "harness.h"
#include "tprt/duration.h"
#include <string.h>
#include <unwind.h>

int add(int, int);
int main(void);
long profiled;
__asm__(".globl mcount, __cyg_profile_func_enter, __cyg_profile_func_exit\n.type mcount, @function\n"
        "mcount: nop\n__cyg_profile_func_enter:\nincq profiled(%rip)\nret\n.size mcount, . - mcount\n"
        ".type __cyg_profile_func_enter, @function\n.type __cyg_profile_func_exit, @function\n"
        "__cyg_profile_func_exit: ret\n");

static int known;
static unsigned long first, second;

static _Unwind_Reason_Code look(struct _Unwind_Context *context, void *data) {
  (void)data;
  known |= _Unwind_FindEnclosingFunction((void *)(_Unwind_GetIP(context) - 1)) == (void *)main;
  return _URC_NO_REASON;
}

static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {
  (void)event, (void)data;
  first = tprt_regs_argument(regs, 0);
  second = tprt_regs_argument(regs, 1);
  known = 0;
  _Unwind_Backtrace(look, NULL);
}

static const tprt_selector calls = {.function = "add", .kinds = TPRT_KIND_SET_ENTRY,
                                     .flags = TPRT_SELECT_PROFILERS | TPRT_SELECT_TRAPS};

static int nothing(int a, int b) { return a - b; }
static void ignored(const tprt_duration *duration, void *data) { (void)duration, (void)data; }

static const char *tryTo(tprt_selector selector, tprt_action action) {
  tprt_probe *probe = NULL;
  tprt_result result;
  tprt_status status = tprt_probe_attach(&selector, &action, &probe, &result);
  if (probe)
    tprt_probe_detach(probe, -1);
  return status == TPRT_STATUS_OK ? "ok" : result.first_refusal == TPRT_REFUSAL_ACTION ? "refused" : tprt_error_string();
}

int main(void) {
  for (int flags = 0; flags <= TPRT_HANDLER_GENERAL_REGS_ONLY; ++flags) {
    tprt_probe *probe = attachSelected(calls, (tprt_action){.handler = onHit, .flags = (uint32_t)flags});
    add(1, 1); // a thread's first hit takes another path
    int sum = add(40, 2);
    if (!flags && first == (unsigned long)add)
      puts("the function's address");
    else if (!flags)
      printf("arguments %d and %d\n", (int)first, (int)second);
    printf("%s registers: callers known %d\n", flags ? "general" : "any", known && sum == 42);
    tprt_probe_detach(probe, -1);
  }
  printf("redirected: %s\n", tryTo(calls, (tprt_action){.kind = TPRT_ACTION_REDIRECT, .replacement = (const void *)nothing}));
  printf("changed: %s\n", tryTo(calls, (tprt_action){.handler = onHit, .flags = TPRT_HANDLER_CHANGES_REGS}));
  tprt_duration_probe *durations = NULL;
  tprt_duration_probe_attach(&calls, ignored, NULL, 0, &durations, NULL);
  printf("timed: %s\n", tprt_error_string());
  tprt_selector code = calls;
  code.flags = TPRT_SELECT_CODE;
  tprt_probe *entry = NULL, *call = NULL;
  tprt_action action = {.handler = onHit};
  if (tprt_probe_attach(&code, &action, &entry, NULL) == TPRT_STATUS_OK) {
    tprt_status status = tprt_probe_attach(&calls, &action, &call, NULL);
    printf("the call after a pun: %s\n", status == TPRT_STATUS_OK ? "on" : strstr(tprt_error_string(), "no jump"));
    add(40, 2);
    if (call)
      tprt_probe_detach(call, -1);
    tprt_probe_detach(entry, -1);
  }
  tprt_probe *skipped = attachSelected(calls, (tprt_action){.kind = TPRT_ACTION_SKIP});
  profiled = 0;
  if (add(40, 2) != 42 || profiled)
    puts("the profiler was called");
  if (tprt_probe_attach(&code, &action, &entry, NULL) == TPRT_STATUS_OK) {
    if (add(40, 2) != 42 || profiled)
      puts("the profiler was called");
    tprt_probe_detach(entry, -1);
  }
  tprt_probe_detach(skipped, -1);
  int sum = add(40, 2);
  printf("after all: %d, the profiler was %scalled\n", sum, profiled ? "" : "not ");
  return 0;
}
