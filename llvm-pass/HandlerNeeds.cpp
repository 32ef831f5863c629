// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See HandlerNeeds.h. In doubt, the result is the larger set of registers: a
// larger set only costs time, while a missing register corrupts data. So a wide
// vector counts even if the calling convention passes it in memory. At exits,
// the most reliable source are the registers that the return or jump uses. At a
// tail call, these are the registers of the callee's arguments, even if the
// callee's signature is unknown.

#include "HandlerNeeds.h"
#include "LlvmCompat.h"
#include "SledLabels.h"
#include "SledSpec.h"
#include "SledTarget.h"
#include "tprt/table.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Function.h"

using namespace llvm;

namespace tp {

static uint8_t vectorNeeds(Type *T, const DataLayout &DL) {
  if (T->isTargetExtTy()) // aarch64.svcount
    return TPRT_NEEDS_SCALABLE;
  if (auto *V = dyn_cast<VectorType>(T)) {
    if (isa<ScalableVectorType>(V))
      return TPRT_NEEDS_SCALABLE;
    // A vector of i1 becomes a vector of bytes.
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

/// What the function must preserve for its caller at each of its sleds,
/// independently of its arguments.
uint8_t HandlerNeeds::conventionNeeds() const {
  uint8_t Needs = Target.attributeNeeds(F);
  if (!Target.isUsualConvention(F.getCallingConv()) ||
      F.hasFnAttribute("no_caller_saved_registers"))
    Needs |= TPRT_NEEDS_OTHER;
  // AAPCS64, "SVE and callee-saved registers": if a function has a scalable
  // argument or result, the function must preserve all of z8-z23 and p4-p15 for
  // its caller.
  const DataLayout &DL = dataLayoutOf(F);
  uint8_t Types = vectorNeeds(F.getReturnType(), DL);
  for (const Argument &A : F.args())
    Types |= vectorNeeds(A.getType(), DL);
  Needs |= Types & TPRT_NEEDS_SCALABLE;
  if (isOpaque(F))
    Needs |= TPRT_RECORD_OPAQUE;
  return Needs;
}

uint8_t HandlerNeeds::wideNeeds(Type *T) const {
  return Target.hasWideVectors() ? vectorNeeds(T, dataLayoutOf(F)) : 0;
}

uint8_t HandlerNeeds::scalarNeeds(Type *T) const {
  uint8_t Needs = Target.scalarNeeds(*T);
  if (T->isStructTy() || T->isArrayTy())
    for (Type *Part : T->subtypes())
      Needs |= scalarNeeds(Part);
  return Needs;
}

uint8_t HandlerNeeds::atEntry() const {
  uint8_t Needs = conventionNeeds();
  for (const Argument &A : F.args())
    if (!A.hasPassPointeeByValueCopyAttr())
      Needs |= wideNeeds(A.getType());
  return Needs;
}

/// Returns the needs of the registers that \p MI uses, by the registers' names
/// in the processor's manuals: a class, and a number after the class.
static uint8_t needsOfUses(const SledTarget &Target, const MachineInstr &MI,
                           bool IsReturn) {
  const TargetRegisterInfo &TRI = *MI.getMF()->getSubtarget().getRegisterInfo();
  uint8_t Needs = 0;
  for (const MachineOperand &Operand : MI.operands()) {
    if (!Operand.isReg() || !Operand.isUse() || !Operand.getReg())
      continue;
    StringRef Name = TRI.getName(Operand.getReg());
    StringRef Kind = Name.take_until(isDigit);
    unsigned Number = 0;
    Name.drop_front(Kind.size()).take_while(isDigit).getAsInteger(10, Number);
    Needs |= Target.registerNeeds(Kind, Number, IsReturn);
  }
  return Needs;
}

uint8_t HandlerNeeds::atReturn(const MachineInstr &Return) const {
  Type *Result = F.getReturnType();
  uint8_t Needs = conventionNeeds() | wideNeeds(Result) | scalarNeeds(Result);
  if (exitOf(Return) == SledLabel::Exit)
    return Needs | needsOfUses(Target, Return, /*IsReturn=*/true);
  // Hardening has dropped the list of registers. A result in C has at most two
  // parts.
  auto *Parts = dyn_cast<StructType>(Result);
  return Parts && Parts->getNumElements() > 2 ? Needs | TPRT_NEEDS_OTHER
                                              : Needs;
}

uint8_t HandlerNeeds::atTailCall(const MachineInstr &Jump) const {
  return conventionNeeds() | needsOfUses(Target, Jump, /*IsReturn=*/false);
}

namespace {
/// The registers that values of the given types use. Integers are counted; in
/// doubt the count is too high.
class RegisterCount {
public:
  RegisterCount(const SledTarget &Target, const DataLayout &DL)
      : Target(Target), DL(DL) {}

  void add(Type *T);
  uint8_t liveBits() const;

private:
  void addParts(Type *T);

  const SledTarget &Target;
  const DataLayout &DL;
  unsigned Integers = 0;
  bool Vectors = false;
  bool Unsure = false;
};
} // namespace

void RegisterCount::add(Type *T) {
  // An argument whose type has special needs, such as x87's, is in memory.
  if (T->isVoidTy() || Target.scalarNeeds(*T))
    return;
  if (T->isPointerTy()) {
    ++Integers;
  } else if (T->isIntegerTy()) {
    unsigned Bits = T->getIntegerBitWidth();
    Integers += (Bits + 63) / 64;
    // A pair begins at an even register, so one register may be unused before
    // the pair. A value of more than 128 bits is in memory.
    Unsure |= Bits > 64 && Target.pairsIntegers();
  } else if (T->isFloatingPointTy()) {
    Vectors = true;
    Integers += Target.hasParameterArea();
    // Two places, perhaps with an unused one before them.
    Unsure |= Target.hasParameterArea() && T->getPrimitiveSizeInBits() > 64;
  } else if (T->isStructTy() || T->isArrayTy()) {
    addParts(T);
  } else {
    Unsure = true; // vectors: those of odd types may be in either kind
  }
}

void RegisterCount::addParts(Type *T) {
  // Scalable types are checked first, because they have no fixed size. Large
  // structures are rare. Arrays can be long, even if their elements are empty.
  if (isScalable(*T) || DL.getTypeAllocSize(T).getFixedValue() > 64 ||
      (T->isArrayTy() && T->getArrayNumElements() > 64)) {
    Unsure = true;
    return;
  }
  if (T->isArrayTy()) {
    for (unsigned I = 0, E = T->getArrayNumElements(); I != E; ++I)
      add(T->getArrayElementType());
    return;
  }
  for (unsigned I = 0, E = T->getStructNumElements(); I != E; ++I)
    add(T->getStructElementType(I));
}

uint8_t RegisterCount::liveBits() const {
  if (Unsure)
    return 0;
  unsigned Live = Integers <= 1   ? TPRT_LIVE_ONE
                  : Integers <= 3 ? TPRT_LIVE_THREE
                                  : TPRT_LIVE_ARGUMENTS;
  return Live << 2 | (Vectors ? 0 : TPRT_RECORD_NO_VECTORS);
}

bool HandlerNeeds::hasHardFloat() const {
  return !F.getFnAttribute("use-soft-float").getValueAsBool() &&
         Target.hasHardFloat(
             F.getFnAttribute("target-features").getValueAsString());
}

/// Whether \p A is in a register that the count of argument registers does not
/// include.
static bool isInSpecialRegister(const Argument &A, const SledTarget &Target) {
  return A.hasNestAttr() || A.hasInRegAttr() ||
         A.hasAttribute(Attribute::SwiftSelf) ||
         A.hasAttribute(Attribute::SwiftError) ||
         A.hasAttribute(Attribute::SwiftAsync) ||
         (A.hasStructRetAttr() && Target.hasResultPointerRegister());
}

uint8_t HandlerNeeds::liveAtEntry() const {
  if (F.isVarArg() || !hasHardFloat() || atEntry() & TPRT_NEEDS_OTHER)
    return 0;
  RegisterCount Count(Target, dataLayoutOf(F));
  for (const Argument &A : F.args()) {
    if (isInSpecialRegister(A, Target) ||
        (A.hasPassPointeeByValueCopyAttr() && Target.hasParameterArea()))
      return 0;
    if (!A.hasPassPointeeByValueCopyAttr())
      Count.add(A.getType());
  }
  return Count.liveBits();
}

uint8_t HandlerNeeds::liveAtExit() const {
  if (!hasHardFloat() || atEntry() & TPRT_NEEDS_OTHER)
    return 0;
  RegisterCount Count(Target, dataLayoutOf(F));
  Count.add(F.getReturnType());
  return Count.liveBits();
}

} // namespace tp
