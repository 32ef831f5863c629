/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Part of handler_general.c. It checks the registers that a handler receives
 * for a call by caller.S, and overwrites every general register that a C
 * function may change.
 */
extern const char stress_call_128_return[], stress_call_256_return[],
    stress_call_512_return[];

static void checkRegisters(const tprt_site_info *info, const tprt_regs *regs,
                           const uint64_t *want) {
  if (info->kind == TPRT_KIND_EXIT)
    check("handler sees the result", tprt_regs_result(regs),
          want[CALL_RAX / 8]);
  else
    check("handler sees rdi", regs->rdi, want[CALL_RDI / 8]);
  if (info->kind != TPRT_KIND_EXIT && info->live == TPRT_LIVE_ALL) {
    check("handler sees rsi", regs->rsi, want[CALL_RSI / 8]);
    check("handler sees rdx", regs->rdx, want[CALL_RDX / 8]);
    check("handler sees rcx", regs->rcx, want[CALL_RCX / 8]);
    check("handler sees r8", regs->r8, want[CALL_R8 / 8]);
    check("handler sees r9", regs->r9, want[CALL_R9 / 8]);
    check("handler sees rax", regs->rax, want[CALL_RAX / 8]);
    check("handler sees r10", regs->r10, want[CALL_R10 / 8]);
  }
  if (info->kind == TPRT_KIND_POINT)
    return; /* the memory after the registers is not the program's stack */
  const char *back = *(const char *const *)tprt_regs_stack(regs);
  if (back != stress_call_128_return && back != stress_call_256_return &&
      back != stress_call_512_return)
    stress_fault("handler sees rsp", (uint64_t)back,
                 (uint64_t)stress_call_128_return);
  check("handler sees the frame", tprt_regs_stack(regs)[1],
        want[CALL_STACK / 8]);
}

static void trampleGeneral(void) {
  __asm__ volatile("mov $-1, %%rax\n\tmov %%rax, %%rcx\n\tmov %%rax, %%rdx\n\t"
                   "mov %%rax, %%rsi\n\tmov %%rax, %%rdi\n\tmov %%rax, %%r8\n\t"
                   "mov %%rax, %%r9\n\tmov %%rax, %%r10\n\tmov %%rax, %%r11" ::
                       : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10",
                         "r11", "cc");
}
