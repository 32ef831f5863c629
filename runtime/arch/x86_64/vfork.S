/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The C library's vfork(), which also records that the thread is running its child.
 * Until the child has ended or calls exec, it uses the thread's memory. So _exit and
 * exec in the child can be distinguished from those in its parent (isOwnProcess() in
 * base/process_ends.h). No system call is needed for that, and a seccomp filter could
 * end the program for a system call. interpose/exit_exec.cpp describes how the name is
 * bound. This file is part of libtprt.so only. Async-signal-safe.
 *
 * The child runs on its parent's stack, and overwrites the memory below the
 * stack pointer. So the return address is kept in a register while the kernel
 * suspends the parent.
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
  mov $58, %eax /* SYS_vfork; changes only rcx, r11 and rax */
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
  /* In the child. A return would consume the parent's entry of the shadow stack,
   * if there is one, and the child's calls would overwrite that entry. */
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
