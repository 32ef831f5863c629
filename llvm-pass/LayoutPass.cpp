// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Machine pass tp-layout. The pass runs after the landing pad was inserted. The
// target chooses the sled's shape. The pass reserves the bytes before the entry
// label as prefix data, and stores the layout in the attribute "tp-sled" for
// the emitter. The bytes before the label, from low to high addresses:
//
//     padding | slot | the program's own prefix data | M nops |
//     kcfi type id | -fsanitize=function signature | label
//
// LLVM writes the last two, after all prefix data.

#include "LlvmCompat.h"
#include "Passes.h"
#include "SledLabels.h"
#include "SledSpec.h"
#include "SledTarget.h"

#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/PassRegistry.h"

using namespace llvm;

namespace tp {
namespace {

class LayoutPass : public MachineFunctionPass {
public:
  static char ID;
  LayoutPass() : MachineFunctionPass(ID) {}
  StringRef getPassName() const override { return "tp layout"; }
  bool runOnMachineFunction(MachineFunction &MF) override;
};

char LayoutPass::ID = 0;

Constant *deadBytes(LLVMContext &Context, unsigned Count, uint8_t Value) {
  SmallVector<uint8_t> Data(Count, Value);
  return ConstantDataArray::get(Context, Data);
}

/// Reserves the bytes before the label as prefix data.
void setPrefix(Function &F, const EntryLayout &L, const EntrySpec &Spec,
               const SledTarget &Target) {
  LLVMContext &Context = F.getContext();
  SmallVector<Constant *, 4> Parts;
  for (unsigned Bytes : {L.Front, L.SlotBytes})
    if (Bytes)
      Parts.push_back(deadBytes(Context, Bytes, Target.deadByte()));
  if (Parts.empty() && !Spec.Before)
    return;
  if (F.hasPrefixData())
    Parts.push_back(F.getPrefixData());
  if (Spec.Before)
    Parts.push_back(Target.nopData(Context, Spec.Before));
  F.setPrefixData(ConstantStruct::getAnon(Context, Parts, /*Packed=*/true));
}

/// The bytes of the landing pad before the sled's label, or nothing if the size
/// of one of its instructions is unknown.
std::optional<unsigned> landingPadBytes(const MachineInstr &Label,
                                        const SledTarget &Target) {
  const TargetInstrInfo &TII = *Label.getMF()->getSubtarget().getInstrInfo();
  unsigned Bytes = 0;
  for (const MachineInstr &MI : *Label.getParent()) {
    if (&MI == &Label)
      break;
    if (MI.isMetaInstruction())
      continue;
    auto Pad = Target.landingPadBytes(TII.getName(MI.getOpcode()));
    if (!Pad)
      return std::nullopt;
    Bytes += *Pad;
  }
  return Bytes;
}

bool isRecursive(const Function &F) {
  return any_of(F.users(), [&](const User *U) {
    const auto *Call = dyn_cast<CallBase>(U);
    return Call && Call->getCalledFunction() == &F && Call->getFunction() == &F;
  });
}

EntryFacts factsOf(const MachineFunction &MF, const EntrySpec &Spec,
                   unsigned LandingPad) {
  const Function &F = MF.getFunction();
  // LLVM cannot write data of a scalable type either.
  auto Size = [&](const Constant *C) {
    return unsigned(
        dataLayoutOf(F).getTypeAllocSize(C->getType()).getFixedValue());
  };
  return {.Spec = Spec,
          .SlotAllowed = slotAllowed(F),
          .FunctionAlign = MF.getAlignment(),
          .Wanted = F.getAlign().valueOrOne(),
          .OwnPrefix = F.hasPrefixData() ? Size(F.getPrefixData()) : 0,
          .Signature = F.hasMetadata(LLVMContext::MD_func_sanitize) ? 8u : 0u,
          .HasTypeId = F.hasMetadata(LLVMContext::MD_kcfi_type),
          .UpToSled = LandingPad +
                      (F.hasPrologueData() ? Size(F.getPrologueData()) : 0),
          .IsRecursive = isRecursive(F)};
}

bool LayoutPass::runOnMachineFunction(MachineFunction &MF) {
  Function &F = MF.getFunction();
  auto Spec = entrySpecOf(F);
  if (!Spec || layoutOf(F))
    return false;
  const MachineInstr *Label = findEntryLabel(MF);
  if (!Label && Spec->after())
    return false;
  const SledTarget &Target = SledTarget::of(MF);
  auto Pad =
      Label ? landingPadBytes(*Label, Target) : std::optional<unsigned>(0);
  if (!Pad) {
    F.getContext().emitError("tp: an instruction precedes the entry sled "
                             "of '" +
                             F.getName() + "'");
    return false;
  }
  EntryLayout L = Target.layOutEntry(factsOf(MF, *Spec, *Pad));
  MF.setAlignment(L.FunctionAlign);
  setPrefix(F, L, *Spec, Target);
  setLayout(F, L.Sled);
  return true;
}

} // namespace

char &LayoutPassID = LayoutPass::ID;

void registerLayoutPass(PassRegistry &Registry) {
  static const PassInfo Info(
      "tp layout", "tp-layout", &LayoutPass::ID,
      []() -> Pass * { return new LayoutPass; }, false, false);
  Registry.registerPass(Info);
}

} // namespace tp
