// A conditional jump to another function cannot be probed. So the recorder cannot measure the duration of
// calls of a function with such an exit, and records only the entries. If the recorder recorded the
// function's other exits, each exit would end a call without an entry: the function would have twice as
// many calls.
//
// REQUIRES: tpctl
// RUN: gcc -O1 %s -o %t
// RUN: %tpctl record --code -o %t.tp 'exits-next-to*!f_*' -- %t
// RUN: %tpctl report --sort=name %t.tp 2>&1 | FileCheck %s
//
// CHECK-NOT: began before
// CHECK: {{^ +}}50 {{.*}} f_callee
// CHECK: {{^ +}}100 {{.*}} f_conditional
// CHECK: {{^ +}}100 {{.*}} f_jumping
// CHECK: 300 events
long f_conditional(long), f_jumping(long), f_callee(long);
__asm__(".text\n.p2align 4\n.globl f_conditional\n.type f_conditional, @function\nf_conditional:\n.cfi_startproc\n"
        "leaq 1000000(%rdi), %rax\ntestq $1, %rdi\njne f_callee\nleaq 1000000(%rdi), %rax\nret\n"
        ".cfi_endproc\n.size f_conditional, . - f_conditional\n"
        ".p2align 4\n.globl f_jumping\n.type f_jumping, @function\nf_jumping:\n.cfi_startproc\n"
        "leaq 1000000(%rdi), %rax\ntestq %rdi, %rdi\nje g_callee\njmp g_callee\n"
        ".cfi_endproc\n.size f_jumping, . - f_jumping\n"
        ".p2align 4\n.globl f_callee\n.type f_callee, @function\nf_callee:\n.cfi_startproc\n"
        "leaq 1000000(%rdi), %rax\nret\n.p2align 4\n.cfi_endproc\n.size f_callee, . - f_callee\n"
        ".p2align 4\n.type g_callee, @function\ng_callee:\n.cfi_startproc\n"
        "leaq 1000000(%rdi), %rax\nret\n.p2align 4\n.cfi_endproc\n.size g_callee, . - g_callee\n");

int main(void) {
  long sum = 0;
  for (long i = 0; i < 100; ++i)
    sum += f_conditional(i) + f_jumping(i);
  return sum == 0;
}
