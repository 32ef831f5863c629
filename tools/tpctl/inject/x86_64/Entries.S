// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The two entries of the code that an injection copies into the target; see
// Payload.h. Machine.cpp checks the offsets of the block.

#define PTHREAD_CREATE 0
#define ERRNO_LOCATION 24
#define MUNMAP 56
#define BEGIN 80
#define BYTES 88
#define THREAD_ENTRY 96
#define THREAD 104
#define CREATE_ERROR 112
#define SYSTEM_CALL_AT_THE_END 15

        .section tp_inject, "ax", @progbits

// Runs on a stopped thread of the target, on the injection's own stack. rbx:
// the block. tpctl restores all registers, so none is saved here.
        .globl  tp_inject_call
        .hidden tp_inject_call
        .type   tp_inject_call, @function
tp_inject_call:
        call    *ERRNO_LOCATION(%rbx)
        mov     %rax, %r12
        mov     (%rax), %r13d
        mov     %rbx, %rdi
        call    tp_inject_libraries
        test    %eax, %eax
        jnz     2f
        lea     THREAD(%rbx), %rdi
        xor     %esi, %esi
        mov     THREAD_ENTRY(%rbx), %rdx
        mov     %rbx, %rcx
        call    *PTHREAD_CREATE(%rbx)
2:      mov     %eax, CREATE_ERROR(%rbx)
        mov     %r13d, (%r12)
// Here tpctl takes over the thread again, and the system call is not executed.
// If tpctl has been killed, rt_sigreturn restores the thread from the frame
// that tpctl has made. The loop is for the case that tpctl is killed right
// after it has made the kernel skip the call.
1:      mov     %r14, %rsp
        mov     $SYSTEM_CALL_AT_THE_END, %eax
        syscall
        jmp     1b
        .size   tp_inject_call, . - tp_inject_call

// The new thread: rdi is the block. The last call unmaps this code and returns
// into the C library. The thread's own stack is the C library's.
        .globl  tp_inject_thread
        .hidden tp_inject_thread
        .type   tp_inject_thread, @function
tp_inject_thread:
        push    %rbx
        mov     %rdi, %rbx
        call    tp_inject_run
        test    %al, %al
        jz      1f
        mov     BEGIN(%rbx), %rdi
        mov     BYTES(%rbx), %rsi
        mov     MUNMAP(%rbx), %rax
        pop     %rbx
        jmp     *%rax
1:      xor     %eax, %eax
        pop     %rbx
        ret
        .size   tp_inject_thread, . - tp_inject_thread

        .section .note.GNU-stack, "", @progbits
