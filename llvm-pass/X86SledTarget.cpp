// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sleds on x86-64. The emitter writes the bytes of sleds, because LLVM might
// pad or move instructions. One store flips a sled, so the sled must not cross
// the end of an aligned word of 8 bytes:
//
//     SHORT  66 90            becomes eb rel8, a jump to the slot
//     LONG   0f 1f 44 00 00   becomes e9 rel32
//     PLAIN  nops             has no room for a jump, and is flipped by a trap
//     RET    c3 cc cc cc cc   becomes e9 rel32
//
// The slot holds e9 rel32.

#include "LlvmCompat.h"
#include "SledLabels.h"
#include "SledTarget.h"
#include "tprt/table.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/CodeGen/AsmPrinter.h"
#include "llvm/CodeGen/LivePhysRegs.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Type.h"
#include "llvm/MC/MCInstBuilder.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/MC/MCSymbol.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace tp {
namespace {

constexpr unsigned SlotBytes = 5;
constexpr unsigned ShortBytes = 2;
constexpr unsigned LongBytes = 5;
constexpr unsigned StoreBytes = 8; // what one store may change at once
constexpr unsigned MaxSlotAlign = 64;
constexpr uint8_t Int3 = 0xcc;

class X86Target final : public SledTarget {
public:
  StringRef name() const override { return "x86-64"; }
  bool handles(const Triple &T) const override {
    return T.getArch() == Triple::x86_64 && !T.isX32();
  }

  bool sledsAreInstructions() const override { return false; }
  std::optional<unsigned> landingPadBytes(StringRef Opcode) const override;
  MachineInstr &makeUnconditional(MachineInstr &Jump) const override;

  EntryLayout layOutEntry(const EntryFacts &X) const override;
  Constant *nopData(LLVMContext &Context, unsigned Count) const override;
  uint8_t deadByte() const override { return Int3; }

  void emitBeforeEntry(AsmPrinter &AP, const SledLayout &L) const override;
  void emitEntry(AsmPrinter &AP, const SledLayout &L) const override;
  ExitSled exitSled(const MachineInstr &First, SledLabel Kind) const override;
  void alignExit(AsmPrinter &AP) const override;
  void emitExit(AsmPrinter &AP) const override;
  void emitAfterReturn(AsmPrinter &AP, const MCSymbol &Sled) const override;
  ExitUnwind exitUnwind() const override { return ExitUnwind::StaleRegisters; }
  StringRef emptyRelocation() const override { return "R_X86_64_NONE"; }

  bool isUsualConvention(CallingConv::ID CC) const override;
  uint8_t scalarNeeds(const Type &T) const override;
  uint8_t registerNeeds(StringRef Kind, unsigned Number,
                        bool IsReturn) const override;
  bool hasWideVectors() const override { return true; }
  bool pairsIntegers() const override { return false; }
  bool hasResultPointerRegister() const override { return false; }
  bool hasHardFloat(StringRef Features) const override {
    return !Features.contains("-sse");
  }
};

} // namespace

const SledTarget &X86SledTarget() {
  static const X86Target Target;
  return Target;
}

//===--- Instructions ---===//

std::optional<unsigned> X86Target::landingPadBytes(StringRef Opcode) const {
  return Opcode == "ENDBR64" ? std::optional(4u) : std::nullopt;
}

/// The block that runs if the conditional \p Jump is not taken. The block
/// begins after the jump.
static MachineBasicBlock *blockAfter(MachineInstr &Jump) {
  MachineBasicBlock &Block = *Jump.getParent();
  MachineFunction &MF = *Block.getParent();
  if (&Jump != &Block.back())
    return Block.splitAt(Jump);
  if (&Block != &MF.back())
    return Block.getNextNode();
  // The jump ends the last block, so the code after the jump is unreachable.
  MachineBasicBlock *Rest = MF.CreateMachineBasicBlock();
  MF.push_back(Rest);
  Block.addSuccessorWithoutProb(Rest);
  return Rest;
}

/// Appends to \p To the unconditional form of the conditional tail call \p
/// Jump.
static MachineInstr &appendJump(MachineBasicBlock &To, MachineInstr &Jump) {
  MachineFunction &MF = *To.getParent();
  const TargetSubtargetInfo &STI = MF.getSubtarget();
  const TargetInstrInfo &TII = *STI.getInstrInfo();
  static const unsigned Opcode = findOpcode(TII, "TAILJMPd64");
  bool XRay = isXRayTailCall(Jump);
  MachineInstrBuilder Tail = BuildMI(To, To.end(), Jump.getDebugLoc(),
                                     XRay ? Jump.getDesc() : TII.get(Opcode));
  if (XRay)
    Tail.addImm(Opcode);
  Tail.add(Jump.getOperand(XRay));
  // The next operand is the condition, which depends on the flags.
  for (const MachineOperand &Operand : drop_begin(Jump.operands(), XRay + 2))
    if (!Operand.isReg() ||
        StringRef(STI.getRegisterInfo()->getName(Operand.getReg())) != "EFLAGS")
      Tail.add(Operand);
  return *Tail;
}

MachineInstr &X86Target::makeUnconditional(MachineInstr &Jump) const {
  MachineBasicBlock &Block = *Jump.getParent();
  MachineFunction &MF = *Block.getParent();
  MachineBasicBlock *Rest = blockAfter(Jump);
  MachineBasicBlock *Taken = MF.CreateMachineBasicBlock();
  MF.insert(std::next(Block.getIterator()), Taken);
  Block.addSuccessorWithoutProb(Taken);

  MachineInstr &Tail = appendJump(*Taken, Jump);
  moveCallInfo(MF, Jump, Tail);
  LivePhysRegs Live;
  computeAndAddLiveIns(Live, *Taken);

  const TargetInstrInfo &TII = *MF.getSubtarget().getInstrInfo();
  const DebugLoc Where = Jump.getDebugLoc();
  SmallVector<MachineOperand, 1> Condition = {
      Jump.getOperand(isXRayTailCall(Jump) + 1)};
  TII.reverseBranchCondition(Condition);
  Jump.eraseFromParent();
  TII.insertBranch(Block, Rest, nullptr, Condition, Where);
  return Tail;
}

//===--- Before the entry label ---===//

/// Bytes between the front padding, or the slot, and the label.
static unsigned bytesAfterFront(const EntryFacts &X, Align FunctionAlign) {
  // kcfi's type id is in a 5-byte mov. LLVM pads the mov to keep the label's
  // alignment.
  unsigned TypeId = X.HasTypeId ? alignTo(5, FunctionAlign) : 0;
  return X.OwnPrefix + X.Spec.Before + TypeId + X.Signature;
}

/// The least padding that aligns the label, which follows \p After bytes later,
/// to \p A.
static unsigned frontPadding(unsigned After, Align A) {
  return offsetToAlignment(After, A);
}

/// The number of bytes before a 5-byte nop at \p Offset that keep the nop
/// within one word.
static unsigned fillerFor(unsigned Offset) {
  unsigned InWord = Offset % StoreBytes;
  return InWord + LongBytes <= StoreBytes ? 0 : StoreBytes - InWord;
}

/// Whether a SHORT sled may be \p Between bytes after its slot. The removal of
/// a uprobe or breakpoint writes 66 over the eb of eb rel8. The two bytes must
/// then be one instruction that is harmless at an entry: stc, clc or cmc (the
/// runtime's isHarmlessAfter66()).
static bool mayFollowSlot(unsigned Between) {
  return is_contained({0u, 1u, 4u}, Between);
}

/// If a function without a sled would be aligned to 8 bytes, its label keeps
/// that alignment. A larger alignment is kept only if the source or a flag
/// requests it. The table shows the cost of disabled sleds, over 220 layouts of
/// small recursive functions and an interpreter (Intel Xeon; standard error
/// 0.6%):
///
///     label 6 bytes after an aligned slot   1.3%
///     label at 8 modulo 16                   0.8%, 2 bytes more per function
///     label at 16                            nothing, 8 bytes more than that
///
/// The front padding has at most the label's alignment. With 16, every label
/// would be at 8 modulo 16. With 8, half of the labels are at multiples of 16,
/// and each function is 4 bytes smaller.
///
/// The label of a function that calls itself is the head of a loop, so this
/// label stays aligned to 16 bytes. Few functions call themselves. Without this
/// alignment, disabled sleds would cost a recursive Fibonacci 2.2%.
static std::optional<EntryLayout> layOutShort(const EntryFacts &X) {
  EntryLayout L;
  Align LabelAlign = std::max(
      X.Wanted, std::min(X.FunctionAlign, Align(X.IsRecursive ? 16 : 8)));
  L.FunctionAlign = std::max(LabelAlign, Align(2));
  unsigned Slot = SlotBytes + bytesAfterFront(X, L.FunctionAlign);
  unsigned Filler = X.UpToSled % 2;
  if (X.Wanted > Align(MaxSlotAlign) ||
      !mayFollowSlot(Slot - SlotBytes + X.UpToSled + Filler))
    return std::nullopt;
  L.Front = frontPadding(Slot, L.FunctionAlign);
  L.SlotBytes = SlotBytes;
  L.Sled = {TPRT_SHAPE_SHORT, Slot, Filler, X.Spec.after()};
  return L;
}

static EntryLayout layOutLong(const EntryFacts &X) {
  EntryLayout L;
  L.FunctionAlign = std::max(X.FunctionAlign, Align(StoreBytes));
  unsigned After = bytesAfterFront(X, L.FunctionAlign);
  Align LabelAlign = std::max(X.Wanted, Align(2));
  L.Front = frontPadding(After, LabelAlign);
  // Padding before the label is never executed, but padding after the label is.
  // So the label is moved, unless the source has fixed the label's alignment.
  for (unsigned Front = L.Front; Front < L.Front + StoreBytes;
       Front += LabelAlign.value())
    if (!fillerFor(Front + After + X.UpToSled)) {
      L.Front = Front;
      break;
    }
  unsigned Filler = fillerFor(L.Front + After + X.UpToSled);
  unsigned Rest = X.Spec.after() > Filler ? X.Spec.after() - Filler : 0;
  L.Sled = {TPRT_SHAPE_LONG, 0, Filler, std::max(Rest, LongBytes)};
  return L;
}

static EntryLayout layOutPlain(const EntryFacts &X) {
  EntryLayout L;
  L.FunctionAlign = std::max(X.FunctionAlign, Align(2));
  L.Front = frontPadding(bytesAfterFront(X, L.FunctionAlign),
                         std::max(X.Wanted, Align(2)));
  L.Sled = {TPRT_SHAPE_PLAIN, 0, 0, X.Spec.after()};
  return L;
}

EntryLayout X86Target::layOutEntry(const EntryFacts &X) const {
  unsigned N = X.Spec.after();
  if (N >= ShortBytes && N < LongBytes && X.SlotAllowed)
    return layOutShort(X).value_or(layOutLong(X));
  return N >= LongBytes ? layOutLong(X) : layOutPlain(X);
}

Constant *X86Target::nopData(LLVMContext &Context, unsigned Count) const {
  SmallVector<uint8_t> Data(Count, 0x90);
  return ConstantDataArray::get(Context, Data);
}

//===--- What the emitter writes ---===//

/// The recommended nops of Intel's SDM, vol. 2B, NOP, table 4-12.
static constexpr const char *Nops[] = {"",
                                       "\x90",
                                       "\x66\x90",
                                       "\x0f\x1f\x00",
                                       "\x0f\x1f\x40\x00",
                                       "\x0f\x1f\x44\x00\x00",
                                       "\x66\x0f\x1f\x44\x00\x00",
                                       "\x0f\x1f\x80\x00\x00\x00\x00",
                                       "\x0f\x1f\x84\x00\x00\x00\x00\x00",
                                       "\x66\x0f\x1f\x84\x00\x00\x00\x00\x00"};

/// The bytes are not written by AsmPrinter::emitNops. In assembly output,
/// emitNops prints nothing, so the record would point at other code.
static void emitNopBytes(AsmPrinter &AP, unsigned Count) {
  while (Count) {
    unsigned Step = std::min(Count, 9u);
    AP.OutStreamer->emitBytes(StringRef(Nops[Step], Step));
    Count -= Step;
  }
}

/// Writes 66 90. In assembly output these bytes are an instruction, so that
/// listings show it: see emitBeforeEntry.
static void emitShortNop(AsmPrinter &AP) {
  if (!AP.OutStreamer->hasRawTextSupport())
    return emitNopBytes(AP, 2);
  const auto &STI = AP.MF->getSubtarget();
  const TargetInstrInfo &TII = *STI.getInstrInfo();
  const TargetRegisterInfo &TRI = *STI.getRegisterInfo();
  static const unsigned Opcode = findOpcode(TII, "XCHG16ar");
  static const unsigned AX = [&] {
    unsigned I = 1;
    while (I != TRI.getNumRegs() && StringRef(TRI.getName(I)) != "AX")
      ++I;
    return I;
  }();
  if (Opcode == TII.getNumOpcodes() || AX == TRI.getNumRegs())
    return emitNopBytes(AP, 2);
  AP.OutStreamer->emitInstruction(MCInstBuilder(Opcode).addReg(AX).addReg(AX),
                                  STI);
}

/// To keep branches off 32-byte boundaries, assemblers put prefixes before
/// other instructions. Assemblers do not change data. GNU as does not change an
/// instruction after data either, even if the data is empty.
void X86Target::emitBeforeEntry(AsmPrinter &AP, const SledLayout &L) const {
  emitNopBytes(AP, L.Filler);
  if (AP.OutStreamer->hasRawTextSupport() && L.Shape != TPRT_SHAPE_LONG)
    AP.OutStreamer->emitRawText("\t.ascii\t\"\"");
}

void X86Target::emitEntry(AsmPrinter &AP, const SledLayout &L) const {
  switch (L.Shape) {
  case TPRT_SHAPE_SHORT:
    emitShortNop(AP);
    return emitNopBytes(AP, L.Bytes - ShortBytes);
  case TPRT_SHAPE_LONG:
    emitNopBytes(AP, LongBytes);
    return emitNopBytes(AP, L.Bytes - LongBytes);
  default:
    return L.Bytes == ShortBytes ? emitShortNop(AP) : emitNopBytes(AP, L.Bytes);
  }
}

/// A plain return is itself a sled. Any other exit, such as a return that
/// hardening has changed, has a 5-byte nop before it.
ExitSled X86Target::exitSled(const MachineInstr &First, SledLabel Kind) const {
  const TargetSubtargetInfo &STI = First.getMF()->getSubtarget();
  bool IsPlainReturn =
      Kind == SledLabel::Exit &&
      STI.getInstrInfo()->getName(First.getOpcode()) == "RET64" &&
      !STI.checkFeatures("+harden-sls-ret");
  if (IsPlainReturn)
    return {TPRT_SHAPE_RET, LongBytes, ExitSled::OverReturn};
  return {TPRT_SHAPE_LONG, LongBytes, ExitSled::BeforeExit};
}

/// Five bytes fit a word unless they begin in its last four bytes. So at most
/// four bytes are skipped.
void X86Target::alignExit(AsmPrinter &AP) const {
  AP.OutStreamer->emitCodeAlignment(Align(StoreBytes), &AP.getSubtargetInfo(),
                                    4);
}

void X86Target::emitExit(AsmPrinter &AP) const { emitNopBytes(AP, LongBytes); }

/// The assembler's message if a return is not at the address in its record. GNU
/// as has no directive against padding; for clang's own assembler the emitter
/// calls setAllowAutoPadding.
static constexpr char PaddedReturn[] =
    "tp: the assembler puts something before a return with an exit sled, as "
    "-mlfence-before-ret and -malign-branch=ret make it: leave that option "
    "out, or exit sleds; -mlvi-hardening goes with them, and -malign-branch "
    "without -fno-integrated-as";

/// Also adds a check to assembly output: the assembler stops if anything except
/// the return and the four bytes after it follows the label \p Sled.
void X86Target::emitAfterReturn(AsmPrinter &AP, const MCSymbol &Sled) const {
  MCStreamer &Out = *AP.OutStreamer;
  Out.emitBytes("\xcc\xcc\xcc\xcc");
  if (!Out.hasRawTextSupport())
    return;
  Out.emitRawText("\t.ifne\t(. - " + Sled.getName() + ") - 5");
  Out.emitRawText(Twine("\t.error\t\"") + PaddedReturn + "\"");
  Out.emitRawText("\t.abort"); // one message is enough
  Out.emitRawText("\t.endif");
}

//===--- Registers ---===//

bool X86Target::isUsualConvention(CallingConv::ID CC) const {
  return SledTarget::isUsualConvention(CC) || CC == CallingConv::X86_64_SysV;
}

uint8_t X86Target::scalarNeeds(const Type &T) const {
  return T.isX86_FP80Ty() ? TPRT_NEEDS_X87 : 0;
}

uint8_t X86Target::registerNeeds(StringRef Kind, unsigned Number,
                                 bool IsReturn) const {
  // In C, a third general register or vector is never part of a result.
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
  bool InResult =
      is_contained({"RAX", "EAX", "AX", "AL", "AH", "RDX", "EDX", "DX", "DL",
                    "DH", "RSP", "ESP", "SSP", "EFLAGS", "RIP"},
                   Kind);
  return IsReturn && !InResult ? TPRT_NEEDS_OTHER : 0;
}

} // namespace tp
