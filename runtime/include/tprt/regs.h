/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The registers that a handler can read, one structure per architecture. The
 * registers are in the frame of the call that delivers the hit. They are valid only
 * during that call, and are restored from that frame. tprt.h includes this file.
 */
#ifndef TPRT_REGS_H
#define TPRT_REGS_H

#include <stdint.h>

#ifdef __cplusplus
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast" /* this is C as well */
#endif

#if defined(__x86_64__)
/* The registers that may hold arguments (entry, tail exit), the values of a point, or a
 * result (exit by return: rax, rdx and rcx alone). System V psABI x86-64 1.0, 3.2.3. A
 * register that the function's signature does not use has no meaning here. At entries
 * and exits, the memory that rsp points to at the sled begins after the structure. */
typedef struct tprt_regs {
  /* Integer arguments 1 to 6. */
  uint64_t rdi, rsi, rdx, rcx, r8, r9;
  /* The result. At an entry, al is the number of vector registers of a variadic call. */
  uint64_t rax;
  /* Static chain. */
  uint64_t r10;
  /* Needed for the return from the hit. This field must not be changed. */
  uint64_t reserved;
} tprt_regs;

/* Bytes from the end of the structure to the stack pointer at a
 * TPRT_KIND_INSTRUCTION: see tprt_event_stack(). */
#define TPRT_REGS_TO_INSTRUCTION 184

/* All general registers at a single instruction: see tprt_event_registers(). */
typedef struct tprt_registers {
  /* rsp is the instruction's own, no matter what the hit saves below it. */
  uint64_t rax, rbx, rcx, rdx, rsi, rdi, rbp, rsp, r8, r9, r10, r11, r12, r13, r14, r15;
  /* The arithmetic flags (CF, PF, AF, ZF, SF, OF), each at its place in rflags. */
  uint64_t flags;
} tprt_registers;

/* The implementation of tprt_event_registers() at an instruction. The words around a
 * tprt_regs are laid out by libtprt's trampoline for instructions. */
static inline int tprt_regs_expand(const tprt_regs *regs, tprt_registers *out) {
  const uint64_t *below = (const uint64_t *)regs - 2, *above = (const uint64_t *)(regs + 1);
  out->rax = regs->rax;
  out->rbx = above[0];
  out->rcx = regs->rcx;
  out->rdx = regs->rdx;
  out->rsi = regs->rsi;
  out->rdi = regs->rdi;
  out->rbp = above[1];
  out->rsp = (uint64_t)above + TPRT_REGS_TO_INSTRUCTION;
  out->r8 = regs->r8;
  out->r9 = regs->r9;
  out->r10 = regs->r10;
  out->r11 = below[0];
  out->r12 = above[2];
  out->r13 = above[3];
  out->r14 = above[4];
  out->r15 = above[5];
  /* ah as lahf stores it (bit 1 is always set), and al is OF. */
  out->flags = (below[1] >> 8 & 0xd7) | (below[1] & 1) << 11;
  return 1;
}

/* Bytes from the eight saved vector registers up to the structure. */
#define TPRT_REGS_TO_VECTORS 192

/* The stack pointer at the sled. At an entry and at an exit by return it points to
 * the return address. The arguments passed in memory lie after the return address.
 * At a point the stack pointer is unknown, and the result of this function is
 * meaningless. */
static inline const uint64_t *tprt_regs_stack(const tprt_regs *regs) { return (const uint64_t *)(regs + 1); }

/* Integer arguments that are in registers. */
#define TPRT_ARGUMENT_REGISTERS 6

/* Integer argument number `index`, counted from 0, at an entry. Arguments from 6 on are
 * read from memory, each in 8 bytes after the return address. The result is correct as
 * long as no earlier argument is in memory for another reason (a structure by value, a
 * long double, a ninth floating-point argument). The memory after a function's last
 * argument belongs to the caller. At an exit the function may have reused the memory of
 * its arguments. */
static inline uint64_t tprt_regs_argument(const tprt_regs *regs, unsigned index) { return index < TPRT_ARGUMENT_REGISTERS ? (&regs->rdi)[index] : tprt_regs_stack(regs)[index - 5]; }

/* The first integer register of the result at an exit by return. */
static inline uint64_t tprt_regs_result(const tprt_regs *regs) { return regs->rax; }

/* The address after the call in the caller, at an entry and at an exit by return. */
static inline uint64_t tprt_regs_return_address(const tprt_regs *regs) { return *tprt_regs_stack(regs); }

#elif defined(__aarch64__)
/* How many bytes further the stack pointer is at a TPRT_KIND_INSTRUCTION: see
 * tprt_event_stack(). */
#define TPRT_REGS_TO_INSTRUCTION 80

/* The registers that may hold arguments (entry, tail exit) or a result (exit by
 * return: x[0] to x[7]). AAPCS64, 6.1.1 and 6.8. A register that the function's
 * signature does not use has no meaning here, except fp, lr and x18. */
typedef struct tprt_regs {
  /* x29, x30. At an entry and at an exit by return lr is the return address, which
   * may be signed. */
  uint64_t fp, lr;
  /* x0 to x7: integer arguments 1 to 8. x8: where a result in memory is to be put. */
  uint64_t x[9];
  /* Static chain: clang's, GCC's. */
  uint64_t x15, x18;
  /* Needed for the return from the hit. This field must not be changed. */
  uint64_t reserved;
} tprt_regs;

/* All general registers at a single instruction: see tprt_event_registers(). */
typedef struct tprt_registers {
  /* sp is the instruction's. */
  uint64_t x[31], sp;
  /* N, Z, C, V, each at its place in PSTATE. */
  uint64_t flags;
} tprt_registers;

/* Bytes from the eight saved vector registers up to the structure, and from the
 * structure up to what sp points to at the sled. */
#define TPRT_REGS_TO_VECTORS (-256)
#define TPRT_REGS_TO_STACK 384

/* What tprt_event_registers() does at an instruction. The words after a tprt_regs are
 * laid out by libtprt's trampoline for instructions. */
static inline int tprt_regs_expand(const tprt_regs *regs, tprt_registers *out) {
  const uint64_t *words = (const uint64_t *)regs;
  int i;
  for (i = 0; i < 9; ++i)
    out->x[i] = regs->x[i];
  for (i = 9; i < 15; ++i)
    out->x[i] = words[17 + i - 9];
  out->x[15] = regs->x15;
  out->x[16] = words[28];
  out->x[17] = words[29];
  out->x[18] = regs->x18;
  for (i = 19; i < 29; ++i)
    out->x[i] = words[TPRT_REGS_TO_STACK / 8 + i - 19];
  out->x[29] = regs->fp;
  out->x[30] = regs->lr;
  out->sp = (uint64_t)words + TPRT_REGS_TO_STACK + TPRT_REGS_TO_INSTRUCTION;
  out->flags = words[23];
  return 1;
}

/* The stack pointer at the sled. At an entry it points to the arguments passed
 * in memory. */
static inline const uint64_t *tprt_regs_stack(const tprt_regs *regs) { return (const uint64_t *)((uintptr_t)regs + TPRT_REGS_TO_STACK); }

/* Integer arguments that are in registers. */
#define TPRT_ARGUMENT_REGISTERS 8

/* Integer argument number `index`, counted from 0, at an entry. Arguments from 8 on
 * are read from memory, each in 8 bytes (AAPCS64, 6.8.2, stage C). The result is
 * correct as long as no earlier argument is in memory for another reason (a ninth
 * floating-point argument, a large structure by value that found no registers) and no
 * earlier argument has 16 bytes. The memory after a function's last argument belongs
 * to the caller. At an exit the function may have reused the memory of its
 * arguments. */
static inline uint64_t tprt_regs_argument(const tprt_regs *regs, unsigned index) { return index < TPRT_ARGUMENT_REGISTERS ? regs->x[index] : tprt_regs_stack(regs)[index - 8]; }

/* The first integer register of the result at an exit by return. */
static inline uint64_t tprt_regs_result(const tprt_regs *regs) { return regs->x[0]; }

/* The address after the call in the caller, at an entry and at an exit by return.
 * The instruction xpaclri removes a signature. Earlier processors ignore xpaclri,
 * because it is a hint. */
static inline uint64_t tprt_regs_return_address(const tprt_regs *regs) {
  uint64_t address;
  __asm__("mov x30, %1\n\thint #7\n\tmov %0, x30" : "=r"(address) : "r"(regs->lr) : "x30");
  return address;
}

#else
#error "libtprt runs on x86-64 and AArch64"
#endif

#ifdef __cplusplus
#pragma GCC diagnostic pop
#endif

#endif
