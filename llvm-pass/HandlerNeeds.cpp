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

namespace {
/// Registers that values of some types take up, counted from above.
struct Registers {
  unsigned Integers = 0;
  bool Vectors = false;
  bool Unsure = false;

  void add(Type *T, const DataLayout &DL, bool IsX86);
  uint8_t bits() const;
};
} // namespace

void Registers::add(Type *T, const DataLayout &DL, bool IsX86) {
  if (T->isVoidTy() || T->isX86_FP80Ty())
    return; // the latter in memory, as a result on the x87 stack
  if (T->isPointerTy()) {
    ++Integers;
  } else if (T->isIntegerTy()) {
    unsigned Bits = T->getIntegerBitWidth();
    Integers += (Bits + 63) / 64;
    // AArch64 starts a pair at an even register; beyond 128 bits is memory.
    Unsure |= Bits > 64 && !IsX86;
  } else if (T->isFloatingPointTy()) {
    Vectors = true;
  } else if (T->isStructTy() || T->isArrayTy()) {
    if (DL.getTypeAllocSize(T) > 64)
      Unsure = true; // rare, and arrays can be long
    else
      for (unsigned I = 0, E = T->isArrayTy() ? T->getArrayNumElements()
                                              : T->getStructNumElements();
           I != E; ++I)
        add(T->isArrayTy() ? T->getArrayElementType()
                           : T->getStructElementType(I),
            DL, IsX86);
  } else {
    Unsure = true; // vectors: those of odd types may be in either kind
  }
}

uint8_t Registers::bits() const {
  if (Unsure)
    return 0;
  unsigned Live = Integers <= 1   ? TPRT_LIVE_ONE
                  : Integers <= 3 ? TPRT_LIVE_THREE
                                  : TPRT_LIVE_ARGUMENTS;
  return Live << 2 | (Vectors ? 0 : TPRT_RECORD_NO_VECTORS);
}

/// Whether floating-point values are in vector registers, as usual.
static bool hasHardFloat(const Function &F) {
  StringRef Features = F.getFnAttribute("target-features").getValueAsString();
  return !F.getFnAttribute("use-soft-float").getValueAsBool() &&
         !Features.contains("-sse") && !Features.contains("-fp-armv8") &&
         !Features.contains("-neon");
}

static bool isX86(const Function &F) {
  return F.getParent()->getTargetTriple().isX86();
}

uint8_t entryLive(const Function &F) {
  if (F.isVarArg() || !hasHardFloat(F) || entryNeeds(F) & TPRT_NEEDS_OTHER)
    return 0;
  Registers R;
  for (const Argument &A : F.args()) {
    if (A.hasNestAttr() || A.hasInRegAttr() || A.hasAttribute(Attribute::SwiftSelf) ||
        A.hasAttribute(Attribute::SwiftError) ||
        A.hasAttribute(Attribute::SwiftAsync) ||
        (A.hasStructRetAttr() && !isX86(F)))
      return 0;
    if (!A.hasPassPointeeByValueCopyAttr())
      R.add(A.getType(), F.getDataLayout(), isX86(F));
  }
  return R.bits();
}

uint8_t exitLive(const Function &F) {
  if (!hasHardFloat(F) || entryNeeds(F) & TPRT_NEEDS_OTHER)
    return 0;
  Registers R;
  R.add(F.getReturnType(), F.getDataLayout(), isX86(F));
  return R.bits();
}

} // namespace tp
