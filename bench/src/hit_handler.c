/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Handlers that do nothing. They are in a separate translation unit, so that
 * every call is a real call.
 */
#include <stdint.h>

struct tprt_event;
struct tprt_regs;

void hit_handler(const struct tprt_event *event, const struct tprt_regs *regs, void *data) {
  (void)event, (void)regs, (void)data;
}

void hit_xray_handler(int32_t function, int kind) { (void)function, (void)kind; }
