// With TPRT_OPTIONS=gdb=1, gdb finds the probed function and its callers at every instruction of stubs, islands and copies
// of instructions, and has names for them. If this fails, a backtrace there ends in unknown addresses.
//
// REQUIRES: gdb, x86_64-host
// RUN: gcc -O1 -g -fomit-frame-pointer %s %tprt_flags -o %t
// RUN: env TPRT_OPTIONS=gdb=1 gdb -q -batch -x %S/Inputs/step-through-stubs.py --args %t instructions 2>&1 | FileCheck %s --check-prefixes=CHECK,HANDLER
// RUN: env TPRT_OPTIONS=gdb=1 gdb -q -batch -x %S/Inputs/step-through-stubs.py --args %t entries 2>&1 | FileCheck %s --check-prefixes=CHECK,HANDLER
// RUN: env TPRT_OPTIONS=gdb=1 gdb -q -batch -x %S/Inputs/step-through-stubs.py --args %t count 2>&1 | FileCheck %s
// RUN: env TPRT_OPTIONS=gdb=1 gdb -q -batch -x %S/Inputs/step-through-stubs.py --args %t address 2>&1 | FileCheck %s
// RUN: env TPRT_OPTIONS=gdb=1 gdb -q -batch -x %S/Inputs/step-through-stubs.py --args %t part 2>&1 | FileCheck %s --check-prefixes=CHECK,PART
// RUN: env TPRT_OPTIONS=gdb=1 gdb -q -batch -x %S/Inputs/step-through-stubs.py --args %t part-count 2>&1 | FileCheck %s
// RUN: env TPRT_OPTIONS=gdb=1 gdb -q -batch -x %S/Inputs/step-through-stubs.py --args %t pushes 2>&1 | FileCheck %s --check-prefixes=CHECK,PUSHES
// RUN: env TPRT_OPTIONS=gdb=1 gdb -q -batch -x %S/Inputs/step-through-stubs.py --args %t pushes-count 2>&1 | FileCheck %s
// RUN: gcc -O1 -g -no-pie -fomit-frame-pointer %s %tprt_flags -o %t.fixed
// RUN: env TPRT_OPTIONS=gdb=1 gdb -q -batch -x %S/Inputs/step-through-stubs.py --args %t.fixed frame 2>&1 | FileCheck %s --check-prefixes=CHECK,FRAME
// RUN: env TPRT_OPTIONS=gdb=1 gdb -q -batch -x %S/Inputs/step-through-stubs.py --args %t leave 2>&1 | FileCheck %s --check-prefix=LEFT
//
// CHECK: stepped through {{[1-9][0-9]*}} instructions of stubs, wrong: []
// HANDLER: in the handler: onHit {{.*}}inner call_inner main
// FRAME: in the handler: onHit {{.*}}behind_frame call_inner main
// PUSHES: in the handler: onHit {{.*}}behind_pushes call_inner main
// PART: in the handler: onHit {{.*}}__tprt_below {{.*}}call_inner main
// LEFT: stepped through 0 instructions of stubs, wrong: []
#include "../Inputs/harness.h"
#include "Inputs/means.h"
#include <string.h>

__asm__(".text\n.fill 64, 1, 0xcc\n.globl inner\n.type inner, @function\n.p2align 4\ninner:\n.cfi_startproc\n"
        "pushq %rbx\n.cfi_def_cfa_offset 16\n.cfi_offset %rbx, -16\nleaq -24(%rsp), %rsp\n.cfi_def_cfa_offset 40\n"
        "movq %rdi, %rbx\nmovq %rdi, -128(%rsp)\naddq -128(%rsp), %rbx\n.p2align 3\ncall leaf\naddq %rbx, %rax\n"
        "leaq 24(%rsp), %rsp\n.cfi_def_cfa_offset 16\npopq %rbx\n.cfi_def_cfa_offset 8\nret\n.cfi_endproc\n"
        ".size inner, .-inner\n.fill 64, 1, 0xcc\n"
        ".type leaf, @function\n.p2align 4\nleaf:\n.cfi_startproc\nleaq 1(%rdi), %rax\nret\n.cfi_endproc\n"
        ".size leaf, .-leaf\n.fill 64, 1, 0xcc\n"
        // Code without a name, which may be a part of a function: its stubs preserve the data below the stack pointer.
        ".p2align 4\n.Lpart:\n.cfi_startproc\nmovq %rdi, -128(%rsp)\nleaq 10(%rdi), %rax\njmp .Lend\n.cfi_endproc\n"
        ".fill 64, 1, 0xcc\n.p2align 4\n.Lend:\n.cfi_startproc\naddq -128(%rsp), %rax\nsubq $4, %rax\nret\n.cfi_endproc\n"
        ".fill 64, 1, 0xcc\n.data\n.p2align 3\n.globl part\npart: .quad .Lpart, .Lend\n.text\n");
long inner(long);
extern long (*part)(long);
static long (*volatile called)(long) = inner;
__attribute__((noipa)) long call_inner(void) { return called(5) + 1; }

__attribute__((noipa)) static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {
  (void)event, (void)regs, (void)data;
}

int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "";
  tprt_selector selector = {.function = "inner+*", .flags = TPRT_SELECT_CODE};
  if (!strcmp(how, "entries"))
    selector = (tprt_selector){.function = "inner", .kinds = TPRT_KIND_SET_ALL, .flags = TPRT_SELECT_CODE};
  if (!strcmp(how, "address")) // so that libtprt needs no names
    selector = (tprt_selector){.address = (void *)inner, .kinds = TPRT_KIND_SET_ALL, .flags = TPRT_SELECT_CODE};
  if (!strncmp(how, "part", 4)) {
    called = part;
    selector = (tprt_selector){.address = (void *)part, .kinds = TPRT_KIND_SET_ALL, .flags = TPRT_SELECT_CODE};
  }
  const int isFrame = !strcmp(how, "frame");
  if (isFrame || !strncmp(how, "pushes", 6)) {
    called = isFrame ? behind_frame : behind_pushes;
    selector = (tprt_selector){.function = isFrame ? "behind_frame" : "behind_pushes", .kinds = TPRT_KIND_SET_ALL, .flags = TPRT_SELECT_CODE};
  }
  tprt_action action = {.handler = onHit, .flags = TPRT_HANDLER_GENERAL_REGS_ONLY};
  if (strstr(how, "count"))
    action = (tprt_action){.kind = TPRT_ACTION_COUNT};
  tprt_probe *probe = NULL;
  tprt_probe_attach(&selector, &action, &probe, NULL); // takes a part of the instructions
  if (!strcmp(how, "leave"))
    tprt_probe_detach(probe, -1);
  call_inner(); // the thread's first hits
  long result = call_inner();
  return result != 17;
}
