// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The slow path of a hit keeps "all vector state". This file determines what
// that state is on this CPU, and contains the C++ code of the slow path. It
// also checks that frame.h's offsets agree with the structures. The functions
// for trampoline.S run in hits, on any thread: async-signal-safe.
#include "frame.h"
#include "sites/arch.h"

#include <errno.h>
#include <string.h>
#include <sys/auxv.h>

#ifndef HWCAP_SVE
#define HWCAP_SVE (1 << 22)
#endif
#ifndef HWCAP2_SME
#define HWCAP2_SME (1 << 23)
#endif

// Also read by trampoline.S.
uint32_t __tprt_vector_state = 0;

namespace tprt {

namespace {
// The trampoline's frame; frame.h contains a drawing of it.
struct Frame {
  tprt_regs regs; // The last word is the return address into the stub.
  uint64_t free, errnoValue;
  const void *redirect;
  uint64_t x9[6], nzcv, slowReturn, svcr, vectorBytes, fpsr, x16[2], unused[2];
  uint8_t vectors[8][16];
};
} // namespace

static_assert(offsetof(tprt_regs, fp) == FRAME_FP &&
              offsetof(tprt_regs, lr) == FRAME_LR);
static_assert(offsetof(tprt_regs, x) == FRAME_X0 &&
              offsetof(tprt_regs, x[8]) == FRAME_X8);
static_assert(offsetof(tprt_regs, x15) == FRAME_X15 &&
              offsetof(tprt_regs, x18) == FRAME_X18);
static_assert(offsetof(tprt_regs, reserved) == FRAME_RETURN);
static_assert(offsetof(Frame, errnoValue) == FRAME_ERRNO &&
              offsetof(Frame, redirect) == FRAME_REDIRECT);
static_assert(offsetof(Frame, x9) == FRAME_X9 &&
              offsetof(Frame, nzcv) == FRAME_NZCV);
static_assert(offsetof(Frame, slowReturn) == FRAME_SLOW_RETURN &&
              offsetof(Frame, svcr) == FRAME_SVCR);
static_assert(offsetof(Frame, vectorBytes) == FRAME_VECTOR_BYTES &&
              offsetof(Frame, fpsr) == FRAME_FPSR);
static_assert(offsetof(Frame, x16) == FRAME_X16 &&
              offsetof(Frame, vectors) == FRAME_VECTORS);
static_assert(sizeof(Frame) == FRAME_BYTES &&
              FRAME_BYTES == TPRT_REGS_TO_STACK);
static_assert(TPRT_REGS_TO_VECTORS == -FRAME_VECTORS &&
              FRAME_VECTORS % 16 == 0);
static_assert(FRAME_BYTES % 16 == 0 && INNER_FRAME_BYTES % 16 == 0 &&
                  INNER_FRAME_BYTES <= 504,
              "what a pre-indexed stp can subtract");
static_assert(FRAME_X19 == FRAME_BYTES &&
              INNER_FRAME_BYTES == FRAME_X19 + 10 * 8 &&
              INNER_FRAME_BYTES == FRAME_BYTES + TPRT_REGS_TO_INSTRUCTION);
// tprt_regs_expand() reads these registers by their numbers.
static_assert(FRAME_X9 == 17 * 8 && FRAME_NZCV == 23 * 8 &&
              FRAME_X16 == 28 * 8 && FRAME_X19 == 48 * 8);
static_assert(
    offsetof(tprt_site, event) == 0,
    "the trampoline passes a site's address as the address of the event");
static_assert(offsetof(StubData, target) == DATA_TARGET &&
              offsetof(StubData, actionList) == DATA_LIST);
static_assert(offsetof(StubData, site) == DATA_SITE &&
                  sizeof(tprt_site) == 8 << 2,
              "a counter's place");
static_assert(offsetof(ActionListHead, handler) == LIST_HANDLER &&
              offsetof(ActionListHead, data) == LIST_DATA &&
              offsetof(ActionListHead, general) == LIST_GENERAL &&
              LIST_GENERAL == LIST_DATA + 8);
static_assert(offsetof(ActionListHead, mode) == LIST_MODE &&
              kSaveGeneral == 0 && kSaveVectors == 1);
static_assert(offsetof(ActionListHead, redirect) == LIST_REDIRECT);
static_assert(offsetof(ThreadHead, guard) == THREAD_GUARD &&
              offsetof(ThreadHead, errnoLocation) == THREAD_ERRNO &&
              kSectionBits == SECTION_BITS);

// The handler finds q0 to q7 in the frame, as on the fast path. They are copied
// from the saved state before the call, and back to it afterwards. In that
// state the vectors follow one another. Each q register is the first 16 bytes
// of a vector of any length.
extern "C" __attribute__((visibility("hidden"))) void
__tprt_hit(Frame *frame, const StubData *data, uint8_t *state) {
  for (int i = 0; i < 8; ++i)
    memcpy(frame->vectors[i], state + i * frame->vectorBytes, 16);
  frame->redirect = deliver(data, &frame->regs);
  for (int i = 0; i < 8; ++i)
    memcpy(state + i * frame->vectorBytes, frame->vectors[i], 16);
}

// `savedErrno` is the new value of errno, as an unsigned 32-bit value; -1 means
// that errno is not changed.
extern "C" __attribute__((visibility("hidden"))) void
__tprt_end_section(uint64_t position, int64_t savedErrno) {
  endSection(position);
  if (savedErrno >= 0)
    *programErrno() = static_cast<int>(savedErrno);
}

extern "C" __attribute__((visibility("hidden"))) void
__tprt_count(Frame *, const StubData *data, uint8_t *) {
  countOnly(data);
}

void initialiseTrampolines() {
  __tprt_vector_state = (getauxval(AT_HWCAP) & HWCAP_SVE ? HAVE_SVE : 0) |
                        (getauxval(AT_HWCAP2) & HWCAP2_SME ? HAVE_SME : 0);
}

} // namespace tprt
