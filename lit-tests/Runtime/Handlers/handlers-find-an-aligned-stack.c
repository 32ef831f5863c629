// Handlers of both kinds run on a stack that is aligned to 16 bytes, even if the function was
// called on a stack that is not.
//
// REQUIRES: x86_64-host
// RUN: %clang -O1 -mno-red-zone -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
// CHECK: 4 hits, misaligned by 0
#include "../Inputs/harness.h"
#include <stdint.h>

static int hits;
static unsigned misaligned;
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {
  misaligned |= (uintptr_t)__builtin_frame_address(0) & 15;
  ++hits;
}

__attribute__((noinline)) int work(int x) {
  __asm__ volatile("");
  return x + 1;
}

// Calls the function with a stack pointer that is `away` bytes off.
static void callAway(uint64_t away) {
  __asm__ volatile("movq %%rsp, %%rbx\n\tandq $-16, %%rsp\n\tsubq %0, %%rsp\n\tcall work\n\tmovq %%rbx, %%rsp"
                   ::"r"(away) : "rbx", "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "memory");
}

int main(void) {
  for (uint32_t flags = 0; flags <= TPRT_HANDLER_GENERAL_REGS_ONLY; ++flags) {
    tprt_probe *probe = attach("work", TPRT_KIND_SET_ENTRY, (tprt_action){.handler = onHit, .flags = flags});
    callAway(0), callAway(8);
    tprt_probe_detach(probe, -1);
  }
  printf("%d hits, misaligned by %u\n", hits, misaligned);
}
