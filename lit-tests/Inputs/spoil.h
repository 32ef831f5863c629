// spoil() is for handlers. spoil() fills every register of this processor that a C function may
// change: general, vector, mask and x87 registers, and the flags.
#if defined(__x86_64__)
#define SPOIL_XMMS                                                                                 \
  "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",         \
      "xmm11", "xmm12", "xmm13", "xmm14", "xmm15"
#define SPOIL_0_TO_15 "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15"

__attribute__((target("avx512f"), no_instrument_function)) static void spoil512(void) {
  __asm__ volatile(".irp n," SPOIL_0_TO_15 ",16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
                   "vpternlogd $255, %%zmm\\n, %%zmm\\n, %%zmm\\n\n.endr\n"
                   ".irp n,0,1,2,3,4,5,6,7\nkxnorw %%k\\n, %%k\\n, %%k\\n\n.endr\nvzeroupper" ::
                       : SPOIL_XMMS, "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22",
                         "xmm23", "xmm24", "xmm25", "xmm26", "xmm27", "xmm28", "xmm29", "xmm30",
                         "xmm31", "k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7");
}

__attribute__((target("avx2"), no_instrument_function)) static void spoil256(void) {
  __asm__ volatile(".irp n," SPOIL_0_TO_15 "\nvpcmpeqd %%ymm\\n, %%ymm\\n, %%ymm\\n\n.endr\n"
                   "vzeroupper" ::
                       : SPOIL_XMMS);
}

__attribute__((no_instrument_function)) static void spoil(void) {
  if (__builtin_cpu_supports("avx512f"))
    spoil512();
  else if (__builtin_cpu_supports("avx2"))
    spoil256();
  // Fills the x87 stack with other values, and empties the stack, because functions must leave it empty.
  __asm__ volatile(".irp n," SPOIL_0_TO_15 "\npcmpeqd %%xmm\\n, %%xmm\\n\n.endr\n"
                   "fninit\n.rept 8\nfldpi\n.endr\n.rept 8\nfstp %%st(0)\n.endr" ::
                       : SPOIL_XMMS, "st", "st(1)", "st(2)", "st(3)", "st(4)", "st(5)", "st(6)", "st(7)");
  __asm__ volatile("mov $-1, %%rax\n.irp r,rcx,rdx,rsi,rdi,r8,r9,r10,r11\nmov %%rax, %%\\r\n.endr\nstc" ::
                       : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "cc", "memory");
}
#else
static void spoil(void) {
  __asm__ volatile("mov x0, #-1\n mov x1, x0\n mov x2, x0\n mov x3, x0\n mov x4, x0\n mov x5, x0\n"
                   "mov x6, x0\n mov x7, x0\n mov x8, x0\n mov x9, x0\n mov x10, x0\n mov x15, x0\n"
                   "mov x16, x0\n mov x17, x0\n mov x18, x0\n fmov d0, x0\n fmov d1, x0\n fmov d7, x0\n cmp x0, x0" ::
                       : "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x15", "x16", "x17", "x18", "d0",
                         "d1", "d7", "cc", "memory");
}
#endif
