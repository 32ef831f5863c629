/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The C library's vfork(), which also notes that the thread runs its child. Until the
 * child has ended or calls exec, it has the thread's memory. So what a child does by
 * _exit and exec can be told from what its parent does (isOwnProcess() in
 * base/process_ends.h). No system call is needed for that: a seccomp filter may end the
 * program for one. interpose/exit_exec.cpp says how the name is bound. Part of
 * libtprt.so alone. Async-signal-safe.
 *
 * The child runs on its parent's stack, and overwrites what lies below the stack
 * pointer there. So the return address is in a register while the kernel has the
 * parent wait.
 *
 *   noted   tprt_runs_child, a variable of the thread (os/linux/process.cpp); its value
 *           before the call is kept in a register, as a child may call vfork(), too
 */
  .text
  .p2align 4
  .globl tprt_interposed_vfork
  .type tprt_interposed_vfork, @function
tprt_interposed_vfork:
  .cfi_startproc
  endbr64
  pop %rdi
  .cfi_adjust_cfa_offset -8
  .cfi_register %rip, %rdi
  mov tprt_runs_child@gottpoff(%rip), %rdx
  mov %fs:(%rdx), %esi
  mov $58, %eax /* SYS_vfork; rcx, r11 and rax change alone */
  syscall
  test %eax, %eax
  jz 1f
  mov %esi, %fs:(%rdx)
  push %rdi
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset %rip, 0
  cmp $-4095, %rax
  jae 2f
  ret
  .cfi_adjust_cfa_offset -8
  .cfi_register %rip, %rdi
  /* In the child. A return would take the parent's entry from the shadow stack, if
   * there is one, and the child's calls would overwrite it. */
1:
  movl $1, %fs:(%rdx)
  notrack jmp *%rdi
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset %rip, 0
2:
  neg %eax
  mov %eax, %edi
  jmp tprt_vfork_failed
  .cfi_endproc
  .size tprt_interposed_vfork, . - tprt_interposed_vfork
  .symver tprt_interposed_vfork, vfork@GLIBC_2.2.5, remove

#include "notes.inc"
