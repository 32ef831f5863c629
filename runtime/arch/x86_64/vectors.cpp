// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What "all vector state" is on this CPU, and the check of frame.h's offsets.
#include "core/arch.h"
#include "core/chain.h"
#include "core/threads.h"
#include "frame.h"

#include <cpuid.h>

extern "C" {
// Read by trampoline.S. Mask 0: no XSAVE on this CPU or system, use FXSAVE.
__attribute__((visibility("hidden"))) uint32_t __tprt_state_mask = 0;
__attribute__((visibility("hidden"))) uint32_t __tprt_state_bytes = 512;
}

namespace tprt {

static_assert(sizeof(tprt_event) == FRAME_REGS);
static_assert(offsetof(tprt_regs, rsi) + FRAME_REGS == FRAME_RSI);
static_assert(offsetof(tprt_regs, r10) + FRAME_REGS == FRAME_R10);
static_assert(sizeof(tprt_regs) + FRAME_REGS == FRAME_THREAD && FRAME_EVENT == 0);
static_assert(FRAME_XMM % 16 == 0 && FRAME_XMM + 8 * 16 == FRAME_BYTES);
static_assert(offsetof(StubData, chain) == DATA_CHAIN && offsetof(StubData, site) == DATA_SITE);
static_assert(offsetof(Chain, handler) == CHAIN_HANDLER && offsetof(Chain, data) == CHAIN_DATA);
static_assert(offsetof(Chain, mode) == CHAIN_MODE && kSaveGeneral == 0 && kSaveVectors == 1);
static_assert(offsetof(Thread, guard) == THREAD_GUARD && offsetof(Thread, sequence) == THREAD_SEQUENCE);
static_assert(offsetof(Thread, errnoLocation) == THREAD_ERRNO);

// x87, SSE, AVX, AVX-512 (opmask, upper halves, upper registers): what arguments
// can lie in. Intel SDM vol. 1, 13.1. Tiles are volatile and never arguments.
static constexpr uint32_t kArguments = 0xe7;

void initialiseVectors() {
  unsigned eax, ebx, ecx, edx;
  if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || !(ecx & bit_OSXSAVE))
    return;
  unsigned low, high;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  uint32_t mask = low & kArguments;
  uint32_t bytes = 576; // legacy area and header, 13.4.1 and 13.4.2
  for (unsigned component = 2; component < 8; ++component)
    if (mask & 1u << component && __get_cpuid_count(13, component, &eax, &ebx, &ecx, &edx))
      bytes = ebx + eax > bytes ? ebx + eax : bytes;
  __tprt_state_bytes = bytes;
  __tprt_state_mask = mask;
}

} // namespace tprt
