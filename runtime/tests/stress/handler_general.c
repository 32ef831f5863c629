/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The handler of handlers.h that uses no vector registers. Built with
 * -mgeneral-regs-only.
 */
#include "handlers.h"
#include "layout.h"

const uint64_t *stress_expected(void);
void stress_fault(const char *what, uint64_t got, uint64_t expected);

static void check(const char *what, uint64_t got, uint64_t expected) {
  if (got != expected)
    stress_fault(what, got, expected);
}

#include "handler_registers.h" /* the processor's: checkRegisters, trampleGeneral */

void stress_handler_general(const tprt_event *event, const tprt_regs *regs, void *pointer) {
  struct stress_data *data = pointer;
  check("handler's data", data->alive, STRESS_DATA_ALIVE);
  check("event has a site", event->site == 0, 0);
  check("stack alignment in the handler", (uint64_t)__builtin_frame_address(0) & 15, 0);
  const uint64_t *want = stress_expected();
  if (want) {
    tprt_site_info info;
    tprt_site_describe(event->site, &info);
    check("event is the site's", event->kind, info.kind);
    checkRegisters(&info, regs, want);
  } else {
    stress_fault("hit outside a call", 0, 0);
  }
  __atomic_fetch_add(&data->hits, 1, __ATOMIC_RELAXED);
  trampleGeneral();
}
