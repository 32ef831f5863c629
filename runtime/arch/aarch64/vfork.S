/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The C library's vfork(), which also records that the thread is running its child.
 * Until the child has ended or calls exec, it uses the thread's memory. So _exit and
 * exec in the child can be distinguished from those in its parent (isOwnProcess() in
 * base/process_ends.h). No system call is needed for that, and a seccomp filter could
 * end the program for a system call. interpose/exit_exec.cpp describes how the name is
 * bound. This file is part of libtprt.so only. Async-signal-safe.
 *
 *   noted   tprt_runs_child, a variable of the thread (os/linux/process.cpp); its value
 *           before the call is kept in a register, as a child may call vfork(), too
 */
  .text
  .p2align 4
  .globl tprt_interposed_vfork
  .type tprt_interposed_vfork, %function
tprt_interposed_vfork:
  .cfi_startproc
  hint #34 /* bti c */
  mrs x9, tpidr_el0
  adrp x10, :gottprel:tprt_runs_child
  ldr x10, [x10, :gottprel_lo12:tprt_runs_child]
  add x9, x9, x10
  ldr w11, [x9]
  mov x0, #0x4111 /* CLONE_VFORK, CLONE_VM, SIGCHLD */
  mov x1, #0
  mov x2, #0
  mov x3, #0
  mov x4, #0
  mov x8, #220 /* SYS_clone; x0 changes alone */
  svc #0
  cbz w0, 1f
  str w11, [x9]
  cmn x0, #4095
  b.hs 2f
  ret
1:
  mov w11, #1
  str w11, [x9]
  ret
2:
  neg w0, w0
  b tprt_vfork_failed
  .cfi_endproc
  .size tprt_interposed_vfork, . - tprt_interposed_vfork
  .symver tprt_interposed_vfork, vfork@GLIBC_2.17, remove

  .section .note.GNU-stack, "", %progbits

/* This file is compatible with BTI, PAC and GCS (ELF for the Arm 64-bit Architecture,
 * "Program Property"). */
  .section .note.gnu.property, "a", %note
  .p2align 3
  .long 4, 16, 5
  .asciz "GNU"
  .long 0xc0000000, 4, 7, 0
