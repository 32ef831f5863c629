/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The handler of handlers.h that overwrites vector registers. Built for the
 * baseline; the wide instructions run only on a machine that has them.
 */
#include "handlers.h"

#define VECTORS                                                                                    \
  "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",         \
      "xmm11", "xmm12", "xmm13", "xmm14", "xmm15"
#define X87 "st", "st(1)", "st(2)", "st(3)", "st(4)", "st(5)", "st(6)", "st(7)"
#define LOW "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15"
#define HIGH "16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31"

__attribute__((target("avx2"))) static void trample256(void) {
  __asm__ volatile(".irp n," LOW "\nvpcmpeqd %%ymm\\n, %%ymm\\n, %%ymm\\n\n.endr\nvzeroupper" ::
                       : VECTORS);
}

__attribute__((target("avx512f"))) static void trample512(void) {
  __asm__ volatile(".irp n," LOW "," HIGH "\nvpternlogd $255, %%zmm\\n, %%zmm\\n, %%zmm\\n\n.endr\n"
                   ".irp n,0,1,2,3,4,5,6,7\nkxnorw %%k\\n, %%k\\n, %%k\\n\n.endr\nvzeroupper" ::
                       : VECTORS, "k1", "k2", "k3", "k4", "k5", "k6", "k7");
}

void stress_handler_trample(const tprt_event *event, const tprt_regs *regs, void *pointer) {
  stress_handler_general(event, regs, pointer);
  if (__builtin_cpu_supports("avx512f"))
    trample512();
  else if (__builtin_cpu_supports("avx2"))
    trample256();
  /* Fills the x87 stack with other values, then empties it, as a function leaves
   * it. */
  __asm__ volatile(".irp n," LOW "\npcmpeqd %%xmm\\n, %%xmm\\n\n.endr\n"
                   "fninit\n.rept 8\nfldpi\n.endr\n.rept 8\nfstp %%st(0)\n.endr" ::
                       : VECTORS, X87);
}
