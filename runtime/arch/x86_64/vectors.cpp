// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The slow path of a hit, which keeps "all vector state". This file determines
// what that state is on this CPU, and contains the C++ code of the slow path.
// It also checks that frame.h's offsets agree with the structures. __tprt_hit()
// runs in hits, on any thread: async-signal-safe.
#include "frame.h"
#include "sites/arch.h"
#include "trampolines.h"

#include <cpuid.h>
#include <string.h>

extern "C" {
// Read by slow.S. If the mask is 0, this CPU or system has no XSAVE, and slow.S
// uses FXSAVE.
__attribute__((visibility("hidden"))) uint32_t __tprt_state_mask = 0;
__attribute__((visibility("hidden"))) uint32_t __tprt_state_bytes = 512;
// Whether the processor reports the components that are in use, and the moves
// of slow.S can save them. If so, the next word is the header of an XRSTOR area
// in which all components are in their initial configuration.
__attribute__((visibility("hidden"))) uint32_t __tprt_state_by_moves = 0;
__attribute__((
    visibility("hidden"))) extern const uint8_t __tprt_initial_state[];
alignas(64) const uint8_t __tprt_initial_state[4096] = {};
}

namespace tprt {

namespace {
// The trampoline's frame; frame.h contains a drawing of it.
struct Frame {
  uint64_t unused;
  const void *redirect;
  uint64_t r11, flags;
  tprt_regs regs;
};
} // namespace

static_assert(offsetof(Frame, redirect) == FRAME_REDIRECT &&
              offsetof(Frame, regs) == FRAME_REGS);
static_assert(offsetof(Frame, r11) == FRAME_R11 &&
              offsetof(Frame, flags) == FRAME_FLAGS);
static_assert(offsetof(Frame, regs.reserved) == FRAME_DATA &&
              FRAME_DATA == FRAME_BYTES - 8 && sizeof(Frame) == FRAME_BYTES);
static_assert(offsetof(tprt_regs, rsi) == 8 && offsetof(tprt_regs, r9) == 40 &&
              offsetof(tprt_regs, r10) == 56);
static_assert(INNER_BELOW == TPRT_REGS_TO_INSTRUCTION &&
                  INNER_BELOW == RED_ZONE + 8 + 6 * 8 &&
                  FRAME_R11 == FRAME_REGS - 16 && FRAME_FLAGS == FRAME_REGS - 8,
              "tprt_regs_expand() reads all of these");
static_assert(FRAME_REGS - FRAME_VECTORS == TPRT_REGS_TO_VECTORS &&
              FRAME_VECTORS % 16 == 0 && FRAME_REGS % 16 == 0 &&
              FRAME_BYTES % 16 == 8);
static_assert(offsetof(tprt_site, event) == 0,
              "the trampoline hands a site out as its event");
static_assert(offsetof(StubData, actionList) == DATA_LIST &&
              offsetof(StubData, siteAt) == DATA_SITE &&
              offsetof(StubData, resume) == DATA_RESUME);
static_assert(offsetof(ActionListHead, handler) == LIST_HANDLER &&
              offsetof(ActionListHead, data) == LIST_DATA);
static_assert(offsetof(ActionListHead, redirect) == LIST_REDIRECT &&
              offsetof(ActionListHead, mode) == LIST_MODE);
static_assert(kSaveGeneral < MODE_VECTORS && kSaveVectors == MODE_VECTORS &&
              kSaveAll > MODE_VECTORS && kRedirect == MODE_REDIRECT &&
              kCount == MODE_COUNT);
static_assert(offsetof(ThreadHead, guard) == THREAD_GUARD &&
              offsetof(ThreadHead, errnoLocation) == THREAD_ERRNO &&
              offsetof(ThreadHead, counters) == THREAD_COUNTERS &&
              offsetof(ThreadHead, sites) == THREAD_SITES &&
              offsetof(ThreadHead, counted) == THREAD_COUNTED);
static_assert(kSectionBits == SECTION_BITS);
static_assert(offsetof(TrampolineContext, self) == CONTEXT_SELF &&
              offsetof(TrampolineContext, slowHit) == CONTEXT_SLOW_HIT &&
              offsetof(TrampolineContext, endSection) == CONTEXT_END_STAY &&
              offsetof(TrampolineContext, errnoAt) == CONTEXT_ERRNO &&
              offsetof(TrampolineContext, slowCount) == CONTEXT_SLOW_COUNT &&
              offsetof(TrampolineContext, slowBelow) == CONTEXT_SLOW_BELOW &&
              offsetof(TrampolineContext, wideHit) == CONTEXT_WIDE_HIT &&
              sizeof(TrampolineContext) == CONTEXT_BYTES);

// Copies words without a call of the C library. That function may be probed,
// and its hit would call this code again. Returns whether any word has changed.
static bool copyWords(uint64_t *to, const uint64_t *from, size_t count) {
  uint64_t changed = 0;
  for (size_t i = 0; i < count; ++i) {
    changed |= to[i] ^ from[i];
    to[i] = from[i];
    __asm__ volatile("" ::: "memory"); // otherwise the compiler calls memcpy
  }
  return changed;
}

// The C++ code of the slow path. The handler finds xmm0 to xmm7 below the
// frame, as on the fast path. If they are not in the frame yet, `state` is
// XSAVE's area: they are copied from it and, if the handler changed them, back
// to it. The legacy area of that state has them at byte 160, and bit 1 of the
// header indicates that they are not all zero (Intel SDM vol. 1, 13.4.1 and
// 13.4.2). With FXSAVE, byte 512 is not part of the state, so it is not
// changed.
extern "C" __attribute__((visibility("hidden"))) void
__tprt_hit(Frame *frame, const StubData *data, uint8_t *state) {
  constexpr size_t kWords = 8 * 16 / 8, kAt = 160;
  auto *vectors = reinterpret_cast<uint64_t *>(
      reinterpret_cast<uint8_t *>(frame) + FRAME_VECTORS);
  auto *saved = state ? reinterpret_cast<uint64_t *>(state + kAt) : nullptr;
  if (saved)
    copyWords(vectors, saved, kWords);
  frame->redirect = deliver(data, &frame->regs);
  if (saved && copyWords(saved, vectors, kWords) && __tprt_state_mask)
    state[512] |= 2;
}

extern "C" __attribute__((visibility("hidden"))) void
__tprt_count(Frame *, const StubData *data, uint8_t *) {
  countOnly(data);
}

// The state in which arguments can lie: x87, SSE, AVX, AVX-512 (opmask, upper
// halves, upper registers); Intel SDM vol. 1, 13.1. Tiles are volatile and
// never contain arguments.
static constexpr uint32_t kArguments = 0xe7;

// Whether XGETBV returns XINUSE (CPUID.(EAX=0DH,ECX=1):EAX[2]; Intel SDM vol.
// 1, 13.2), and slow.S has moves for all components in `mask`.
static bool canMove(uint32_t mask) {
  constexpr uint32_t kVectors = 0x06, kWide = 0xe0, kTellsInUse = 1 << 2;
  unsigned eax, ebx, ecx, edx;
  if ((mask & kVectors) != kVectors ||
      !__get_cpuid_count(13, 1, &eax, &ebx, &ecx, &edx) || !(eax & kTellsInUse))
    return false;
  if (!(mask & kWide))
    return true;
  return (mask & kWide) == kWide &&
         __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) &&
         (ebx & (bit_AVX512F | bit_AVX512BW)) == (bit_AVX512F | bit_AVX512BW);
}

void initialiseVectors() {
  unsigned eax, ebx, ecx, edx;
  if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || !(ecx & bit_OSXSAVE))
    return;
  unsigned low, high;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  uint32_t mask = low & kArguments;
  uint32_t bytes = 576; // legacy area and header, 13.4.1 and 13.4.2
  for (unsigned component = 2; component < 8; ++component)
    if (mask & 1u << component &&
        __get_cpuid_count(13, component, &eax, &ebx, &ecx, &edx))
      bytes = ebx + eax > bytes ? ebx + eax : bytes;
  __tprt_state_bytes = bytes;
  __tprt_state_mask = mask;
  __tprt_state_by_moves = canMove(mask) && bytes <= sizeof __tprt_initial_state;
}

bool canMoveVectors() { return __tprt_state_by_moves; }

} // namespace tprt
