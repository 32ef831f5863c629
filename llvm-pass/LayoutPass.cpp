// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Machine pass tp-layout, late enough to see the landing pad. It chooses the
// sled's shape, makes the room before the entry label through prefix data, and
// leaves the result as attribute "tp-sled" for the emitter. What stands before
// the label, from low to high addresses:
//
//     padding | slot (5 x cc) | the program's own prefix data | M nops |
//     kcfi type id | -fsanitize=function signature | label
//
// The last two are LLVM's and come behind all prefix data.

#include "Marks.h"
#include "Passes.h"
#include "SledSpec.h"
#include "tprt/table.h"

#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/PassRegistry.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace tp {
namespace {

constexpr unsigned SlotBytes = 5;   // e9 rel32
constexpr unsigned ShortBytes = 2;  // 66 90, later eb rel8
constexpr unsigned LongBytes = 5;   // 0f 1f 44 00 00, later e9 rel32
constexpr unsigned WordBytes = 8;   // what one store may change at once
constexpr unsigned ReachBack = 128; // of eb rel8, from the sled's end
constexpr unsigned MaxSlotAlign = 64;

class LayoutPass : public MachineFunctionPass {
public:
  static char ID;
  LayoutPass() : MachineFunctionPass(ID) {}
  StringRef getPassName() const override { return "tp layout"; }
  bool runOnMachineFunction(MachineFunction &MF) override;
};

char LayoutPass::ID = 0;

/// What is fixed about one function before a shape is chosen.
struct Facts {
  EntrySpec Spec;
  Align Wanted;       // of the label: what source or flag asks for
  unsigned OwnPrefix; // the program's prefix data
  unsigned Signature; // -fsanitize=function
  bool HasTypeId;     // kcfi
  unsigned UpToSled;  // bytes from the label to where the sled can start
  bool IsRecursive;   // calls itself
};

/// Bytes between the front padding, or the slot, and the label.
unsigned bytesBehindFront(const Facts &X, Align FunctionAlign, bool IsX86) {
  unsigned Nops = X.Spec.Before * (IsX86 ? 1 : 4);
  unsigned TypeId = !X.HasTypeId ? 0
                    // LLVM pads the 5-byte mov to keep the label's alignment.
                    : IsX86 ? alignTo(5, FunctionAlign)
                            : 4;
  return X.OwnPrefix + Nops + TypeId + X.Signature;
}

/// The least padding that puts the label, \p Behind bytes later, on \p A.
unsigned frontPadding(unsigned Behind, Align A) {
  return offsetToAlignment(Behind, A);
}

/// Bytes to add before a 5-byte nop at \p Offset for it not to leave its word.
unsigned fillerFor(unsigned Offset) {
  unsigned InWord = Offset % WordBytes;
  return InWord + LongBytes <= WordBytes ? 0 : WordBytes - InWord;
}

struct Choice {
  SledLayout Layout;
  unsigned Front = 0; // padding at the lowest address
  Align FunctionAlign;
};

/// The label stays on 8 bytes where the function has such an alignment without
/// a sled; more only if source or flag ask for it. Over 220 layouts of small
/// recursive functions and an interpreter (Intel Xeon; standard error 0.6%)
/// sleds that are off cost 1.3% with the label right behind an aligned slot, 6
/// bytes off, 0.8% at 8 modulo 16, and nothing at 16; the latter takes 8 bytes
/// more a function than the second, which takes 2 more than the first. What
/// stands in front is aligned no more than that: with 16 every label would lie
/// at 8 modulo 16, with 8 half of them lie on 16, and 4 bytes are saved. The
/// label of a function that calls itself is the head of a loop and stays on 16:
/// few are, and sleds that are off cost a recursive Fibonacci 2.2% else.
std::optional<Choice> chooseShort(const Facts &X, Align FunctionAlign) {
  Choice C;
  Align LabelAlign = std::max(
      X.Wanted, std::min(FunctionAlign, Align(X.IsRecursive ? 16 : 8)));
  C.FunctionAlign = std::max(LabelAlign, Align(2));
  unsigned Behind = bytesBehindFront(X, C.FunctionAlign, /*IsX86=*/true);
  unsigned Slot = SlotBytes + Behind;
  unsigned Filler = X.UpToSled % 2;
  if (X.Wanted > Align(MaxSlotAlign) ||
      Slot + X.UpToSled + Filler + ShortBytes > ReachBack)
    return std::nullopt;
  C.Front = frontPadding(Slot, C.FunctionAlign);
  C.Layout = {TPRT_SHAPE_SHORT, Slot, Filler, X.Spec.after()};
  return C;
}

Choice chooseLong(const Facts &X, Align FunctionAlign) {
  Choice C;
  C.FunctionAlign = std::max(FunctionAlign, Align(WordBytes));
  unsigned Behind = bytesBehindFront(X, C.FunctionAlign, /*IsX86=*/true);
  Align LabelAlign = std::max(X.Wanted, Align(2));
  C.Front = frontPadding(Behind, LabelAlign);
  // Moving the label costs dead bytes; only where the source fixed the label do
  // executed ones have to do it.
  for (unsigned Front = C.Front; Front < C.Front + WordBytes;
       Front += LabelAlign.value())
    if (!fillerFor(Front + Behind + X.UpToSled)) {
      C.Front = Front;
      break;
    }
  unsigned Filler = fillerFor(C.Front + Behind + X.UpToSled);
  unsigned Rest = X.Spec.after() > Filler ? X.Spec.after() - Filler : 0;
  C.Layout = {TPRT_SHAPE_LONG, 0, Filler, std::max(Rest, LongBytes)};
  return C;
}

Choice choosePlain(const Facts &X, Align FunctionAlign, bool IsX86) {
  Choice C;
  C.FunctionAlign = std::max(FunctionAlign, Align(2));
  C.Front = frontPadding(bytesBehindFront(X, C.FunctionAlign, IsX86),
                         std::max(X.Wanted, Align(IsX86 ? 2 : 4)));
  C.Layout = {IsX86 ? unsigned(TPRT_SHAPE_PLAIN) : unsigned(TPRT_SHAPE_WORD), 0,
              0, X.Spec.after() * (IsX86 ? 1 : 4)};
  return C;
}

Choice choose(const Facts &X, const MachineFunction &MF, bool IsX86) {
  Align A = MF.getAlignment();
  if (!IsX86)
    return choosePlain(X, A, false);
  unsigned N = X.Spec.after();
  if (N >= ShortBytes && N < LongBytes && slotAllowed(MF.getFunction()))
    return chooseShort(X, A).value_or(chooseLong(X, A));
  return N >= LongBytes ? chooseLong(X, A) : choosePlain(X, A, true);
}

Constant *bytes(LLVMContext &Context, unsigned Count, uint8_t Value) {
  SmallVector<uint8_t> Data(Count, Value);
  return ConstantDataArray::get(Context, Data);
}

Constant *nopWords(LLVMContext &Context, unsigned Count) {
  SmallVector<uint32_t> Data(Count, 0xd503201f);
  return ConstantDataArray::get(Context, Data);
}

void setPrefix(Function &F, const Choice &C, const EntrySpec &Spec,
               bool IsX86) {
  LLVMContext &Context = F.getContext();
  SmallVector<Constant *, 4> Parts;
  if (C.Front)
    Parts.push_back(bytes(Context, C.Front, IsX86 ? 0xcc : 0));
  if (C.Layout.Slot)
    Parts.push_back(bytes(Context, SlotBytes, 0xcc));
  if (Parts.empty() && !Spec.Before)
    return;
  if (F.hasPrefixData())
    Parts.push_back(F.getPrefixData());
  if (Spec.Before)
    Parts.push_back(IsX86 ? bytes(Context, Spec.Before, 0x90)
                          : nopWords(Context, Spec.Before));
  F.setPrefixData(ConstantStruct::getAnon(Context, Parts, /*Packed=*/true));
}

/// Bytes of landing pad before the sled's label; none if something else that we
/// cannot measure stands there.
std::optional<unsigned> landingPadBytes(const MachineInstr &Label) {
  const TargetInstrInfo &TII = *Label.getMF()->getSubtarget().getInstrInfo();
  unsigned Bytes = 0;
  for (const MachineInstr &MI : *Label.getParent()) {
    if (&MI == &Label)
      break;
    if (MI.isMetaInstruction())
      continue;
    StringRef Name = TII.getName(MI.getOpcode());
    if (Name != "ENDBR64" && Name != "HINT")
      return std::nullopt;
    Bytes += 4;
  }
  return Bytes;
}

bool isRecursive(const Function &F) {
  return any_of(F.users(), [&](const User *U) {
    const auto *Call = dyn_cast<CallBase>(U);
    return Call && Call->getCalledFunction() == &F && Call->getFunction() == &F;
  });
}

bool LayoutPass::runOnMachineFunction(MachineFunction &MF) {
  Function &F = MF.getFunction();
  auto Spec = entrySpecOf(F);
  if (!Spec || layoutOf(F))
    return false;
  const MachineInstr *Label = findEntryLabel(MF);
  if (!Label && Spec->after())
    return false;
  auto Pad = Label ? landingPadBytes(*Label) : std::optional<unsigned>(0);
  if (!Pad) {
    F.getContext().emitError("tp: an instruction stands before the entry sled "
                             "of '" +
                             F.getName() + "'");
    return false;
  }

  bool IsX86 = MF.getTarget().getTargetTriple().isX86();
  const DataLayout &DL = F.getDataLayout();
  // LLVM itself writes no data of a scalable type.
  auto Size = [&](const Constant *C) {
    return unsigned(DL.getTypeAllocSize(C->getType()).getFixedValue());
  };
  Facts X = {*Spec,
             F.getAlign().valueOrOne(),
             F.hasPrefixData() ? Size(F.getPrefixData()) : 0,
             F.hasMetadata(LLVMContext::MD_func_sanitize) ? 8u : 0u,
             F.hasMetadata(LLVMContext::MD_kcfi_type),
             *Pad + (F.hasPrologueData() ? Size(F.getPrologueData()) : 0),
             isRecursive(F)};
  Choice C = choose(X, MF, IsX86);
  MF.setAlignment(C.FunctionAlign);
  setPrefix(F, C, *Spec, IsX86);
  setLayout(F, C.Layout);
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
