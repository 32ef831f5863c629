// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See HandlerNeeds.h. It errs to the safe side: a wide vector that the calling
// convention passes in memory costs a wider save, a missed one corrupts data.
// At exits the registers that the return or jump uses are the surest witness:
// they are those of the callee's arguments even where its signature is unknown.

#include "HandlerNeeds.h"
#include "Marks.h"
#include "SledSpec.h"
#include "tprt/table.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/CallingConv.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace tp {

static bool isX86(const Function &F) {
  return F.getParent()->getTargetTriple().isX86();
}

static uint8_t vectorNeeds(Type *T, const DataLayout &DL) {
  if (T->isTargetExtTy()) // aarch64.svcount
    return TPRT_NEEDS_SCALABLE;
  if (auto *V = dyn_cast<VectorType>(T)) {
    if (isa<ScalableVectorType>(V))
      return TPRT_NEEDS_SCALABLE;
    // A vector of i1 becomes one of bytes.
    uint64_t Bits =
        std::max<uint64_t>(DL.getTypeSizeInBits(V).getFixedValue(),
                           V->getElementCount().getFixedValue() * 8);
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

/// Conventions with C's registers, kept and not kept, on both targets. Cold is
/// none: x86-64 keeps most registers there.
static bool isUsualConvention(CallingConv::ID CC) {
  return CC == CallingConv::C || CC == CallingConv::Fast ||
         CC == CallingConv::X86_64_SysV;
}

/// What \p F owes its caller at each of its sleds, whatever it is passed.
static uint8_t conventionNeeds(const Function &F) {
  uint8_t Needs = 0;
  if (!isUsualConvention(F.getCallingConv()) ||
      F.hasFnAttribute("no_caller_saved_registers"))
    Needs |= TPRT_NEEDS_OTHER;
  // All ways to be called in streaming mode or with ZA or ZT0 live (ACLE,
  // "SME attributes"). Not those that concern the body alone.
  for (StringRef SME :
       {"aarch64_pstate_sm_enabled", "aarch64_pstate_sm_compatible",
        "aarch64_in_za", "aarch64_out_za", "aarch64_inout_za",
        "aarch64_preserves_za", "aarch64_za_state_agnostic", "aarch64_in_zt0",
        "aarch64_out_zt0", "aarch64_inout_zt0", "aarch64_preserves_zt0"})
    if (F.hasFnAttribute(SME))
      Needs |= TPRT_NEEDS_STREAMING;
  // AAPCS64, "SVE and callee-saved registers": with a scalable argument or
  // result, z8-z23 and p4-p15 are the caller's, in full.
  const DataLayout &DL = F.getDataLayout();
  uint8_t Types = vectorNeeds(F.getReturnType(), DL);
  for (const Argument &A : F.args())
    Types |= vectorNeeds(A.getType(), DL);
  Needs |= Types & TPRT_NEEDS_SCALABLE;
  if (isOpaque(F))
    Needs |= TPRT_RECORD_OPAQUE;
  return Needs;
}

/// A wide fixed vector is one register on x86-64 alone.
static uint8_t wideNeeds(Type *T, const Function &F) {
  return isX86(F) ? vectorNeeds(T, F.getDataLayout()) : 0;
}

uint8_t entryNeeds(const Function &F) {
  uint8_t Needs = conventionNeeds(F);
  for (const Argument &A : F.args())
    if (!A.hasPassPointeeByValueCopyAttr())
      Needs |= wideNeeds(A.getType(), F);
  return Needs;
}

static uint8_t x87Needs(Type *T) {
  if (T->isX86_FP80Ty())
    return TPRT_NEEDS_X87;
  if (T->isStructTy() || T->isArrayTy())
    for (Type *Part : T->subtypes())
      if (uint8_t Needs = x87Needs(Part))
        return Needs;
  return 0;
}

/// The register classes by the targets' names for their registers, which are
/// those of the manuals with a number behind.
static uint8_t registerNeeds(StringRef Name, bool IsX86, bool IsReturn) {
  StringRef Kind = Name.take_until(isDigit);
  unsigned Number = 0;
  Name.drop_front(Kind.size()).take_while(isDigit).getAsInteger(10, Number);
  if (IsX86) {
    // A third general register or vector is no result in C.
    uint8_t Other = Number > (IsReturn ? 1u : 7u) ? TPRT_NEEDS_OTHER : 0;
    if (Kind == "XMM")
      return Other;
    if (Kind == "YMM")
      return TPRT_NEEDS_VEC256 | Other;
    if (Kind == "ZMM")
      return TPRT_NEEDS_VEC512 | TPRT_NEEDS_VEC256 | Other;
    if (Kind == "ST" || Kind == "FP")
      return TPRT_NEEDS_X87 | Other;
    if (Kind == "K" || Kind == "MM" || Kind == "TMM")
      return TPRT_NEEDS_OTHER;
    bool Result =
        is_contained({"RAX", "EAX", "AX", "AL", "AH", "RDX", "EDX", "DX", "DL",
                      "DH", "RSP", "ESP", "SSP", "EFLAGS", "RIP"},
                     Name);
    return IsReturn && !Result ? TPRT_NEEDS_OTHER : 0;
  }
  if (Kind == "Z" || Kind == "P" || Kind == "PN")
    return TPRT_NEEDS_SCALABLE | (Number > 7 ? TPRT_NEEDS_OTHER : 0);
  if (Kind == "ZA" || Kind == "ZT" || Kind == "ZAB" || Kind == "ZAQ")
    return TPRT_NEEDS_STREAMING;
  bool Vector = is_contained({"Q", "D", "S", "H", "B"}, Kind);
  return Vector && Number > 7 ? TPRT_NEEDS_OTHER : 0;
}

static uint8_t needsOfUses(const MachineInstr &MI, bool IsReturn) {
  const MachineFunction &MF = *MI.getMF();
  const TargetRegisterInfo &TRI = *MF.getSubtarget().getRegisterInfo();
  bool IsX86 = MF.getTarget().getTargetTriple().isX86();
  uint8_t Needs = 0;
  for (const MachineOperand &Operand : MI.operands())
    if (Operand.isReg() && Operand.isUse() && Operand.getReg())
      Needs |= registerNeeds(TRI.getName(Operand.getReg()), IsX86, IsReturn);
  return Needs;
}

uint8_t exitNeeds(const Function &F, const MachineInstr &Return) {
  Type *Result = F.getReturnType();
  uint8_t Needs = conventionNeeds(F) | wideNeeds(Result, F) | x87Needs(Result);
  if (exitOf(Return) == Mark::Exit)
    return Needs | needsOfUses(Return, /*IsReturn=*/true);
  // Hardening has dropped the list of registers; C never has three parts.
  auto *Parts = dyn_cast<StructType>(Result);
  return Parts && Parts->getNumElements() > 2 ? Needs | TPRT_NEEDS_OTHER
                                              : Needs;
}

uint8_t tailExitNeeds(const Function &F, const MachineInstr &Jump) {
  return conventionNeeds(F) | needsOfUses(Jump, /*IsReturn=*/false);
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
    // Scalable parts first: their size is no number. Large structures are rare,
    // and arrays can be long, also those of empty elements.
    if (T->isScalableTy() || DL.getTypeAllocSize(T).getFixedValue() > 64 ||
        (T->isArrayTy() && T->getArrayNumElements() > 64))
      Unsure = true;
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

uint8_t entryLive(const Function &F) {
  if (F.isVarArg() || !hasHardFloat(F) || entryNeeds(F) & TPRT_NEEDS_OTHER)
    return 0;
  Registers R;
  for (const Argument &A : F.args()) {
    if (A.hasNestAttr() || A.hasInRegAttr() ||
        A.hasAttribute(Attribute::SwiftSelf) ||
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
