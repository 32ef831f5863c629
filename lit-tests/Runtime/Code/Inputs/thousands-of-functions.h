// Functions that a test turns on and off in large batches: a thousand for each means by which an instruction becomes a
// jump, and some that need traps. The names of a group's functions begin with the group's name, and a number follows.
// For C++, compiled with the plugin.
#ifndef TP_LIT_TESTS_RUNTIME_CODE_THOUSANDS_OF_FUNCTIONS_H
#define TP_LIT_TESTS_RUNTIME_CODE_THOUSANDS_OF_FUNCTIONS_H

#include <cstddef>
#include <utility>
#include <vector>

// Each function has a number as its argument and returns the number plus the value of resultOf(). The bytes between
// functions are not padding, except where a short jump needs padding. The functions are 48 bytes apart, so that each
// instruction occurs at all four places in a cache line.
__asm__(R"(.text
  .set index, 0
  .macro begin name, offset
    .p2align 4, 0x50
    .skip \offset, 0x50
    .type \name, @function
  \name:
    .cfi_startproc
  .endm
  .macro leave name # a ret before four dead bytes
    ret
    .byte 0x0f, 0x1f, 0x40, 0
    ud2
    .cfi_endproc
    .size \name, . - \name
    .set index, index + 1
  .endm

  # Entry: seven bytes in one word, of which the first one is a prefix that stays. At 8: six bytes, with one as well.
  .macro jump_function
    begin jump\@, 0
    .byte 0x48, 0x8d, 0x87
    .long index             # leaq index(%rdi), %rax
    nop
    .byte 0x48, 0x05
    .long 7                 # addq $7, %rax
    leave jump\@
    .skip 16, 0x50
  .endm

  # Entry: six bytes without a prefix.
  .macro bare_jump_function
    begin bare_jump\@, 0
    .byte 0x8d, 0x87
    .long index             # leal index(%rdi), %eax
    addl $7, %eax
    leave bare_jump\@
    .skip 24, 0x50
  .endm

  # Entry: three bytes, and padding before and after the function. The first byte is a prefix that stays.
  .macro hop_function
    .p2align 4, 0xcc
    .skip 24, 0xcc
    .type hop\@, @function
  hop\@:
    .cfi_startproc
    movq %rdi, %rax
    .byte 0x48, 0x05
    .long index + 7         # addq $index + 7, %rax
    ret
    .cfi_endproc
    .size hop\@, . - hop\@
    .skip 7, 0xcc
    .set index, index + 1
  .endm

  # The same with two bytes, and without a prefix.
  .macro bare_hop_function
    .p2align 4, 0xcc
    .skip 24, 0xcc
    .type bare_hop\@, @function
  bare_hop\@:
    .cfi_startproc
    movl %edi, %eax
    .byte 0x05
    .long index + 7         # addl $index + 7, %eax
    ret
    .cfi_endproc
    .size bare_hop\@, . - bare_hop\@
    .skip 7, 0xcc
    .set index, index + 1
  .endm

  # Entry: four bytes before a9, so the jump leads 1.45 GB back, where nothing is.
  .macro pun_function
    begin pun\@, 0
    leaq 7(%rdi), %rax
    .byte 0xa9
    .long 0                 # testl $0, %eax
    .byte 0x48, 0x05
    .long index             # addq $index, %rax
    leave pun\@
    .skip 16, 0x50
  .endm

  # Entry: one byte, and 48 c7 c0 a9 after it.
  .macro push_function
    begin push\@, 0
    pushq %rbx
    .cfi_adjust_cfa_offset 8
    .byte 0x48, 0xc7, 0xc0
    .long 0xa9              # movq $0xa9, %rax
    .byte 0x48, 0x8d, 0x87
    .long index + 7         # leaq index + 7(%rdi), %rax
    popq %rbx
    .cfi_adjust_cfa_offset -8
    leave push\@
    .skip 25, 0x50
  .endm

  # Entry: a pun, as in the functions of that name. At 9: a call.
  .macro call_function
    begin call\@, 0
    subq $8, %rsp
    .byte 0xa9
    .long 0                 # testl $0, %eax
    .cfi_adjust_cfa_offset 8
    .byte 0xe8
    .long add_seven - . - 4 # call add_seven
    .byte 0x48, 0x05
    .long index             # addq $index, %rax
    addq $8, %rsp
    .cfi_adjust_cfa_offset -8
    leave call\@
    .skip 8, 0x50
  .endm

  # Entry: after a push, as the zeros of the next instruction would lead a jump there into this program. At 1: five bytes.
  .macro behind_function
    begin behind\@, 0
    pushq %rbx
    .cfi_adjust_cfa_offset 8
    .byte 0x05
    .long 0                 # addl $0, %eax
    movl $-1, %ebx
    .byte 0x48, 0x8d, 0x87
    .long index + 7         # leaq index + 7(%rdi), %rax
    popq %rbx
    .cfi_adjust_cfa_offset -8
    leave behind\@
    .skip 19, 0x50
  .endm

  # Entry: one byte; a jump there would lead into this program.
  .macro trap_function
    begin trap\@, 7
    clc
    .byte 0x05
    .long 0                 # addl $0, %eax
    .byte 0x48, 0x8d, 0x87
    .long index + 7         # leaq index + 7(%rdi), %rax
    leave trap\@
    .skip 12, 0x50
  .endm

  .macro group name, count
    .set index, 0
    .rept \count
    \name\()_function
    .endr
    .skip 192, 0x50
  .endm
  group jump, 1000
  group hop, 1000
  group bare_jump, 1000
  group bare_hop, 1000
  group pun, 1000
  group push, 1000
  group call, 1000
  group behind, 1000
  group trap, 200
add_seven:
  .cfi_startproc
  leaq 7(%rdi), %rax
  ret
  .cfi_endproc
)");

template <long Index> [[gnu::noinline, tp::entry(2, 0), tp::exit]] static long sled(long number) { return number + Index + 7; }

using Function = long (*)(long);
enum Group { Jump, Hop, BareJump, BareHop, Pun, Push, Call, Behind, Trap, Sled, GroupCount };
static const char *const kGroupNames[] = {"jump", "hop", "bare_jump", "bare_hop", "pun", "push", "call", "behind", "trap"};
constexpr size_t kFew = 200, kMany = 1000, kSleds = 500;

// The test fills in the functions in assembly: see kGroupNames.
static std::vector<Function> functions[GroupCount];

static long resultOf(long number, size_t index) { return number + static_cast<long>(index) + 7; }

template <size_t... Index> static void addSleds(std::index_sequence<Index...>) {
  functions[Sled] = {&sled<static_cast<long>(Index)>...};
}

#endif
