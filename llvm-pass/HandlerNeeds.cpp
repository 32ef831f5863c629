// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See HandlerNeeds.h. It errs to the safe side: a wide vector that the calling
// convention passes in memory costs a wider save, a missed one corrupts data.

#include "HandlerNeeds.h"
#include "tprt/table.h"

#include "llvm/IR/CallingConv.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace tp {

static uint8_t vectorNeeds(Type *T, const DataLayout &DL) {
  if (T->isTargetExtTy()) // aarch64.svcount
    return TPRT_NEEDS_SCALABLE;
  if (auto *V = dyn_cast<VectorType>(T)) {
    if (isa<ScalableVectorType>(V))
      return TPRT_NEEDS_SCALABLE;
    uint64_t Bits = DL.getTypeSizeInBits(V).getFixedValue();
    return Bits > 256   ? TPRT_NEEDS_VEC512 | TPRT_NEEDS_VEC256
           : Bits > 128 ? TPRT_NEEDS_VEC256
                        : 0;
  }
  uint8_t Needs = 0;
  if (T->isStructTy() || T->isArrayTy())
    for (Type *Part : T->subtypes())
      Needs |= vectorNeeds(Part, DL);
  return Needs;
}

static bool isUsualConvention(CallingConv::ID CC) {
  // Fast and cold pass arguments in the registers that C uses, on both targets.
  return CC == CallingConv::C || CC == CallingConv::Fast ||
         CC == CallingConv::Cold || CC == CallingConv::X86_64_SysV;
}

uint8_t entryNeeds(const Function &F) {
  uint8_t Needs = 0;
  for (const Argument &A : F.args())
    if (!A.hasPassPointeeByValueCopyAttr())
      Needs |= vectorNeeds(A.getType(), F.getDataLayout());
  // AArch64's vector convention passes like C; it keeps more of the
  // callee-saved registers, which the handler's caller must then keep too.
  if (!isUsualConvention(F.getCallingConv()))
    Needs |= TPRT_NEEDS_OTHER;
  for (StringRef SME :
       {"aarch64_pstate_sm_enabled", "aarch64_pstate_sm_compatible",
        "aarch64_in_za", "aarch64_inout_za", "aarch64_preserves_za",
        "aarch64_in_zt0", "aarch64_inout_zt0"})
    if (F.hasFnAttribute(SME))
      Needs |= TPRT_NEEDS_STREAMING;
  // These arrive in registers the runtime does not count as arguments.
  if (F.hasFnAttribute("no_caller_saved_registers"))
    Needs |= TPRT_NEEDS_OTHER;
  return Needs;
}

} // namespace tp
