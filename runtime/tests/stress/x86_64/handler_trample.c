/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * See handlers.h. Built for the baseline; the wide instructions are reached only
 * on a machine that has them.
 */
#include "handlers.h"

#define EACH(X)                                                                                    \
  X("0") X("1") X("2") X("3") X("4") X("5") X("6") X("7") X("8") X("9") X("10") X("11") X("12")    \
  X("13") X("14") X("15")
#define TRAMPLE_128(n) "pcmpeqd %%xmm" n ", %%xmm" n "\n\t"
#define TRAMPLE_256(n) "vpcmpeqd %%ymm" n ", %%ymm" n ", %%ymm" n "\n\t"
#define TRAMPLE_512(n) "vpternlogd $255, %%zmm" n ", %%zmm" n ", %%zmm" n "\n\t"
#define VECTORS                                                                                    \
  "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",         \
      "xmm11", "xmm12", "xmm13", "xmm14", "xmm15"

__attribute__((target("avx2"))) static void trample256(void) {
  __asm__ volatile(EACH(TRAMPLE_256)::: VECTORS);
  __asm__ volatile("vzeroupper" ::: VECTORS);
}

__attribute__((target("avx512f"))) static void trample512(void) {
  __asm__ volatile(EACH(TRAMPLE_512) "kxnorw %%k1, %%k1, %%k1\n\tvzeroupper" ::: VECTORS, "k1");
}

void stress_handler_trample(const tprt_event *event, const tprt_regs *regs, void *pointer) {
  stress_handler_general(event, regs, pointer);
  if (__builtin_cpu_supports("avx512f"))
    trample512();
  else if (__builtin_cpu_supports("avx2"))
    trample256();
  __asm__ volatile(EACH(TRAMPLE_128) "fldpi\n\tfstp %%st(0)" ::: VECTORS, "st");
}
