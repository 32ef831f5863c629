// With TPRT_OPTIONS=gdb=1, gdb finds the probed function and its callers at every instruction of stubs, of the code that all
// stubs call, of trampolines, and of copies of instructions, and has names for them. The sites are single instructions, and
// entries and exits of functions with and without sleds. The function has -1 in its frame pointer. If this fails, a
// backtrace there ends in unknown addresses.
//
// REQUIRES: gdb-multiarch
// RUN: %clang -O1 -no-pie -fplugin-arg-tp-entry=1 -fplugin-arg-tp-exit %s %tprt_flags -o %t
// RUN: gdb-multiarch -q -batch -ex "python how, libraries = 'instructions', '%{libdir}'" -x %S/Inputs/step-through-stubs.py %t 2>&1 | FileCheck %s
// RUN: gdb-multiarch -q -batch -ex "python how, libraries = 'functions', '%{libdir}'" -x %S/Inputs/step-through-stubs.py %t 2>&1 | FileCheck %s
// RUN: gdb-multiarch -q -batch -ex "python how, libraries = 'leave', '%{libdir}'" -x %S/Inputs/step-through-stubs.py %t 2>&1 | FileCheck %s --check-prefix=LEFT
//
// CHECK: stepped through {{[1-9][0-9]+}} instructions of stubs, and {{[1-9][0-9]}} that all stubs call, wrong: []
// LEFT: stepped through 0 instructions of stubs, and 0 that all stubs call, wrong: []
#include "../Inputs/harness.h"
#include <string.h>

__asm__(".text\n.type leaf, @function\n"
        "leaf: .cfi_startproc\nadd x0, x0, #1\nret\n.cfi_endproc\n.size leaf, .-leaf\n"
        ".type other, @function\n"
        "other: .cfi_startproc\nadd x0, x0, #1\nret\n.cfi_endproc\n.size other, .-other\n"
        ".type probed, @function\n"
        "probed: .cfi_startproc\nnop\n"
        "stp x29, x30, [sp, #-32]!\n.cfi_def_cfa_offset 32\n.cfi_offset 29, -32\n.cfi_offset 30, -24\n"
        "mov x29, #-1\nnop\nb 1f\nbrk #1\n1: bl leaf\n"
        "ldp x29, x30, [sp], #32\n.cfi_def_cfa_offset 0\n.cfi_restore 29\n.cfi_restore 30\n"
        "b other\n.cfi_endproc\n.size probed, .-probed\n");
extern long probed(long);

__attribute__((noinline)) long traced(long x) { __asm__ volatile(""); return x + 1; }
__attribute__((noinline, tp_never)) long call_probed(void) {
  long result = probed(1) + traced(1);
  __asm__ volatile("" : "+r"(result));
  return result;
}

__attribute__((noinline, tp_never)) void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {
  (void)event, (void)regs, (void)data;
  __asm__ volatile("");
}

__attribute__((tp_never)) int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "";
  int inside = !strcmp(how, "instructions");
  tprt_selector all[] = {{.function = inside ? "probed+*" : "probed", .kinds = inside ? 0 : TPRT_KIND_SET_ALL, .flags = TPRT_SELECT_CODE},
                         {.function = "traced", .kinds = TPRT_KIND_SET_ALL}};
  tprt_action action = {.handler = onHit, .flags = TPRT_HANDLER_GENERAL_REGS_ONLY};
  tprt_probe *probes[2] = {NULL, NULL};
  for (int i = 0; i < 2; ++i)
    tprt_probe_attach(&all[i], &action, &probes[i], NULL); // takes a part of the instructions
  for (int i = 0; i < 2 && !strcmp(how, "leave"); ++i)
    tprt_probe_detach(probes[i], -1);
  call_probed(); // the thread's first hits
  long result = call_probed();
  return result != 5;
}
