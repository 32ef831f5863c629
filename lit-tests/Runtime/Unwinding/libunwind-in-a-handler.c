// libunwind, which many profilers use, walks from a handler through the
// trampoline to the traced function and its callers.
//
// REQUIRES: libunwind
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -lunwind -o %t
// RUN: %t | FileCheck %s
//
// CHECK: onHit
// CHECK: traced
// CHECK-NEXT: caller
// CHECK-NEXT: main
#define UNW_LOCAL_ONLY
#include "../Inputs/calls-traced.h"
#include <libunwind.h>
#include <stdio.h>

__attribute__((tp_never)) static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {
  unw_context_t context;
  unw_cursor_t cursor;
  unw_getcontext(&context);
  unw_init_local(&cursor, &context);
  do {
    char name[64] = "?";
    unw_word_t offset;
    unw_get_proc_name(&cursor, name, sizeof name, &offset);
    puts(name);
  } while (unw_step(&cursor) > 0);
}
