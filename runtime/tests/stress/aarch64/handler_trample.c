/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The handler of handlers.h that overwrites vector registers. The scalable
 * instructions run only on a machine that has them. They are not allowed in
 * streaming mode, but no handler runs in that mode.
 */
#include "handlers.h"

#include <sys/auxv.h>

void stress_trample_scalable(void);

#define EACH(X)                                                                                    \
  X("0") X("1") X("2") X("3") X("4") X("5") X("6") X("7") X("8") X("9") X("10") X("11") X("12")    \
  X("13") X("14") X("15") X("16") X("17") X("18") X("19") X("20") X("21") X("22") X("23") X("24")  \
  X("25") X("26") X("27") X("28") X("29") X("30") X("31")
#define ONES(n) "movi v" n ".16b, #255\n\t"
#define VECTORS                                                                                    \
  "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14",   \
      "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27",   \
      "v28", "v29", "v30", "v31"

void stress_handler_trample(const tprt_event *event, const tprt_regs *regs, void *pointer) {
  stress_handler_general(event, regs, pointer);
  if (getauxval(AT_HWCAP) & 1ul << 22) /* HWCAP_SVE */
    stress_trample_scalable();
  __asm__ volatile(EACH(ONES)::: VECTORS);
}
