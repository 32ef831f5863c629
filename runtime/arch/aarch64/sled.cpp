// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// AArch64 sleds, off and on, at entry, before a return and before a tail call:
//
//   WORD   d503201f  nop          14xxxxxx  b stub
//
// Toggled by one 4-byte store. NOP and B are among the instructions that may be
// exchanged while another PE executes them: it runs the one or the other (Arm
// ARM DDI 0487, B2.2.5, "Concurrent modification and execution of
// instructions"). No other pair is ever written here.
#include "core/arch.h"

#include <string.h>
#include <sys/auxv.h>

#ifndef HWCAP2_MOPS
#define HWCAP2_MOPS (1ul << 43)
#endif

namespace tprt {

static constexpr uint32_t kNop = 0xd503201f;
static constexpr uint32_t kBranch = 0x14000000; // B imm26

tprt_refusal planToggle(const tprt_site &site, uint64_t stub, Toggle *toggle) {
  auto sled = reinterpret_cast<uint64_t>(site.sled());
  if (site.shape() != TPRT_SHAPE_WORD)
    return TPRT_REFUSAL_SHAPE;
  if (sled % 4)
    return TPRT_REFUSAL_ALIGNMENT;
  auto distance = static_cast<int64_t>(stub - sled);
  if (distance < -(int64_t{1} << 27) || distance >= int64_t{1} << 27)
    return TPRT_REFUSAL_REACH;
  uint32_t on = kBranch | (static_cast<uint32_t>(distance >> 2) & 0x3ffffff);
  *toggle = {sled, kNop, on, 4};
  uint32_t now;
  memcpy(&now, site.sled(), sizeof now);
  return now == (site.enabled ? on : kNop) ? TPRT_REFUSAL_NONE
                                           : TPRT_REFUSAL_BYTES;
}

// No way by single bytes: nothing between NOP and B may be executed. Linux does
// not promise, but is seen to copy an aligned word with one load and one store;
// not with FEAT_MOPS, whose copies may be interrupted between any two bytes.
size_t planSteps(const tprt_site &, bool on, const Toggle &toggle,
                 Step *steps) {
  if (getauxval(AT_HWCAP2) & HWCAP2_MOPS)
    return 0;
  steps[0] = {toggle.address, on ? toggle.on : toggle.off, toggle.bytes};
  return 1;
}

// The sled itself reaches the stub.
tprt_refusal planSlot(const tprt_site &, uint64_t, Slot *slot) {
  slot->bytes = 0;
  return TPRT_REFUSAL_NONE;
}

const char *recordFault(const tprt_record &record, uint64_t sled, uint64_t) {
  switch (TPRT_RECORD_SHAPE(record.kind)) {
  case TPRT_SHAPE_PLAIN:
    return nullptr;
  case TPRT_SHAPE_WORD:
    return record.size < 4 ? "has a sled smaller than its shape"
           : sled % 4      ? "has a sled between instructions"
                           : nullptr;
  }
  return "has a shape that is not of AArch64";
}

} // namespace tprt
