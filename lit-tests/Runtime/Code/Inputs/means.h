// Functions in assembly, one for each form of jump that replaces an instruction, and one for each kind of
// instruction that a jump displaces. Each function has a number as its argument and returns the number plus one.
#ifndef TP_LIT_TESTS_RUNTIME_CODE_MEANS_H
#define TP_LIT_TESTS_RUNTIME_CODE_MEANS_H

// A function that begins `offset` bytes after an aligned word of 16 bytes.
#define FUNCTION(name, offset, body) \
  ".globl " name "\n.type " name ", @function\n" \
  ".p2align 4, 0xcc\n.skip 16 + " offset ", 0xcc\n" name ":\n.cfi_startproc\n" body "\n.cfi_endproc\n" \
  ".size " name ", . - " name "\n"

// A ret before four dead bytes.
#define RET_PADDED "ret\n.byte 0x0f, 0x1f, 0x40, 0\nud2"

// As above, but the code before the function is not padding.
#define PACKED(name, offset, body) \
  ".globl " name "\n.type " name ", @function\n" \
  ".p2align 4, 0x90\n.skip 16 + " offset ", 0x50\n" name ":\n.cfi_startproc\n" body "\n.cfi_endproc\n" \
  ".size " name ", . - " name "\n.skip 16, 0x50\n"

#define PUSH(name) "pushq %" name "\n.cfi_def_cfa_offset 16\n.cfi_offset %" name ", -16\n"
#define PUSH_MORE(name) "pushq %" name "\n.cfi_def_cfa_offset 24\n.cfi_offset %" name ", -24\n"
#define POP_MORE(name) "popq %" name "\n.cfi_def_cfa_offset 16\n"
#define POP(name) "popq %" name "\n.cfi_def_cfa_offset 8\n"

__asm__(".text\n"
        // The entry is seven bytes in one word. Its first byte is a kept prefix. The exit is a ret before padding.
        FUNCTION("jump", "0", "leaq one(%rip), %rax\nmovq (%rax), %rax\naddq %rdi, %rax\nret")
        // The entry has three bytes, and there is padding before the function.
        FUNCTION("hop", "8", "movq %rdi, %rax\nincq %rax\nret")
        // The same at an odd address, so that the word also contains other bytes of the function.
        FUNCTION("hop_odd", "9", "movq %rdi, %rax\nincq %rax\nret")
        // As the first two, but without a prefix. A jump with the bytes after the first one leads about 1 GB back.
        FUNCTION("bare_jump", "0", "movl $0xc0000000, %eax\nleal 0x40000001(%rax,%rdi), %eax\nret")
        FUNCTION("bare_hop", "8", "movl %edi, %eax\naddl $0xc001, %eax\nsubl $0xc000, %eax\nret")
        // The exit is a ret before two dead bytes, which become part of a short jump.
        FUNCTION("short_hop", "8", "movq %rdi, %rax\ntestq %rdi, %rdi\njs 1f\nincq %rax\nret\nxchg %ax, %ax\n1: ret")
        // The entry is endbr64, then an instruction of three bytes.
        FUNCTION("landing_pad", "8", "endbr64\nmovq %rdi, %rax\nincq %rax\nret")
        // The entry is a conditional jump of two bytes. call_branch() calls it with the carry flag clear.
        FUNCTION("branch", "8", "jc 2f\nleaq 1(%rdi), %rax\n1: ret\n2: leaq 99(%rdi), %rax\njmp 1b")
        FUNCTION("call_branch", "8", "subq $8, %rsp\n.cfi_def_cfa_offset 16\nclc\ncall branch\naddq $8, %rsp\n.cfi_def_cfa_offset 8\nret")
        // The entry has an operand relative to the program counter, followed by an immediate.
        FUNCTION("relative", "0", "cmpl $1, one(%rip)\nsete %al\nmovzbl %al, %eax\naddq %rdi, %rax\nret")
        // Left by a jump to another function, of five and of two bytes.
        FUNCTION("tail", "8", "movq %rdi, %rax\nmovq %rax, %rdi\n.byte 0xe9\n.long hop - 1f\n1:")
        // There is no padding after the function, so the function is not probed.
        FUNCTION("last", "0", "ret")
        ".skip 256, 0x50\n" // no padding is near
        // The entry is four bytes before a9: the jump leads 1.45 GB back, to unused memory.
        PACKED("pun", "0", "leaq 1(%rdi), %rax\n.byte 0xa9, 0x01, 0, 0, 0\n" RET_PADDED)
        // The exit is a ret before three dead bytes, which become part of a jump. Then a9 follows, as above.
        PACKED("short_pun", "2", "leaq 1(%rdi), %rax\n.byte 0xa9, 0x01, 0, 0, 0\ntestq %rdi, %rdi\njs 1f\nret\nnopl (%rax)\n"
                                 "1: .byte 0xa9, 0, 0, 0, 0\n" RET_PADDED)
        // The entry is after one push, and after two pushes. A jump at a push
        // would end in the zeros of addl $0, %eax, and lead into this program.
        PACKED("behind_push", "0", PUSH("r14") ".byte 0x05, 0, 0, 0, 0\nxorl %r14d, %r14d\nleaq 1(%rdi), %rax\n" POP("r14") RET_PADDED)
        PACKED("behind_pushes", "0", PUSH("rbp") PUSH_MORE("rbx") ".byte 0x05, 0, 0, 0, 0\nxorl %ebp, %ebp\nmovl $-1, %ebx\n"
                                     "leaq 1(%rdi), %rax\n" POP_MORE("rbx") POP("rbp") RET_PADDED)
        // In a program for a fixed address, the entry is after the frame pointer is set up,
        // because a jump before that would lead below address 0. Elsewhere it is a pun, as above.
        PACKED("behind_frame", "5", PUSH("rbp") "movq %rsp, %rbp\n.cfi_def_cfa_register %rbp\nleal 0x12348887(%rdi), %eax\n"
                                    "leaq 1(%rdi), %rax\nleave\n.cfi_def_cfa %rsp, 8\n" RET_PADDED)
        ".data\none: .quad 1\n.text\n");

#define MEANS "jump", "hop", "hop_odd", "bare_jump", "bare_hop", "pun", "short_hop", "short_pun", "landing_pad", "branch", "relative", "tail", "behind_push", "behind_pushes", "behind_frame"
long jump(long), hop(long), hop_odd(long), bare_jump(long), bare_hop(long), pun(long), short_hop(long), short_pun(long), landing_pad(long), branch(long), call_branch(long), relative(long), tail(long), behind_push(long), behind_pushes(long), behind_frame(long);

#endif
