// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of AArch64 sleds that is not in plan.h: flipping through
// /proc/self/mem, and checking records. Called under the lock.
#include "sites/arch.h"

#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#ifndef HWCAP2_MOPS
#define HWCAP2_MOPS (1ul << 43)
#endif
#ifndef HWCAP2_BTI
#define HWCAP2_BTI (1ul << 17)
#endif
#ifndef PROT_BTI
#define PROT_BTI 0x10 // Linux 5.8
#endif

namespace tprt {

// A flip by single bytes is impossible, because no instruction between NOP and
// B may be executed. So the step stores the whole word. Linux does not
// guarantee to copy an aligned word with one load and one store, but in
// practice it does. The exception is FEAT_MOPS: its copies may be interrupted
// between any two bytes.
size_t planSteps(const tprt_site &, Direction direction, const Toggle &toggle,
                 Step *steps) {
  if (getauxval(AT_HWCAP2) & HWCAP2_MOPS)
    return 0;
  steps[0] = {toggle.address,
              direction == Direction::On ? toggle.on : toggle.off,
              toggle.bytes};
  return 1;
}

// GNU_PROPERTY_AARCH64_FEATURE_1_BTI (ELF for the Arm 64-bit Architecture,
// "Program Property"): kernel and loader map such code with PROT_BTI if the
// processor supports it.
int protectionByProperty(uint32_t type, uint32_t value) {
  constexpr uint32_t kFeature1And = 0xc0000000, kBti = 1;
  bool guarded =
      type == kFeature1And && value & kBti && getauxval(AT_HWCAP2) & HWCAP2_BTI;
  return guarded ? PROT_BTI : 0;
}

const char *recordFault(const tprt_record &record, uint64_t sled, uint64_t) {
  switch (TPRT_RECORD_SHAPE(record.traits)) {
  case TPRT_SHAPE_PLAIN:
    return nullptr;
  case TPRT_SHAPE_WORD:
    return record.size < 4 ? "has a sled smaller than its shape"
           : sled % 4      ? "has a misaligned sled"
           : record.slot % 4 || (record.slot && record.slot < kVeneerBytes)
               ? "has a slot with no room for a veneer"
               : nullptr;
  }
  return "has a shape that AArch64 does not have";
}

} // namespace tprt
