/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Part of handler_general.c. It checks the registers that a handler receives
 * for a call by caller.S, and overwrites every general register that a C
 * function may change.
 */
extern const char stress_call_128_return[], stress_call_scalable_return[],
    stress_call_streaming_return[];

static void checkRegisters(const tprt_site_info *info, const tprt_regs *regs,
                           const uint64_t *want) {
  /* At an exit and at a point sleds.S has computed x0 from the other registers.
   */
  for (int i = info->kind == TPRT_KIND_EXIT || info->kind == TPRT_KIND_POINT;
       i < 8; ++i)
    check("handler sees an argument", regs->x[i], want[CALL_X / 8 + i]);
  if (info->kind != TPRT_KIND_EXIT) {
    check("handler sees x8", regs->x[8], want[CALL_X / 8 + 8]);
    check("handler sees x15", regs->x15, want[CALL_X / 8 + 15]);
  }
  check("handler sees x18", regs->x18, want[CALL_X / 8 + 18]);
  check("handler sees x29", regs->fp, want[CALL_X / 8 + 29]);
  const char *back = (const char *)regs->lr;
  if (back != stress_call_128_return && back != stress_call_scalable_return &&
      back != stress_call_streaming_return)
    stress_fault("handler sees x30", (uint64_t)back,
                 (uint64_t)stress_call_128_return);
  check("handler sees the frame", tprt_regs_stack(regs)[0],
        want[CALL_STACK / 8]);
}

#define ONES(n) "mov x" #n ", #-1\n\t"
static void trampleGeneral(void) {
  __asm__ volatile(
      ONES(0) ONES(1) ONES(2) ONES(3) ONES(4) ONES(5) ONES(6) ONES(7) ONES(8)
          ONES(9) ONES(10) ONES(11) ONES(12) ONES(13) ONES(14) ONES(15) ONES(16)
              ONES(17) ONES(18) "msr nzcv, x0" ::
                  : "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9",
                    "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17",
                    "x18", "cc");
}
