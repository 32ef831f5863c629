// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Variables.h. DWARF 5, sections 2.5 and 2.6 (locations), 3.3.5 (frame
// bases) and 3.5 (blocks).

#include "Variables.h"

#include "DebugTypes.h"
#include "DwarfOperations.h"
#include "tprt/control_program.h"
#include "tprt/regs.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace llvm::dwarf;

namespace tpctl::types {
namespace {

using expressions::Location;
using expressions::Type;
using Operation = DWARFExpression::Operation;

// The general registers, which DWARF counts from 0; the stack pointer; and the
// bytes below it that a function may use (psABI x86-64, section 3.2.2). A hit
// uses those below.
constexpr bool IsX86 = TPRT_ARGUMENT_REGISTERS == 6;
constexpr uint64_t GeneralRegisters = IsX86 ? 16 : 32;
constexpr unsigned StackPointer = IsX86 ? 7 : 31;
constexpr int64_t RedZone = IsX86 ? 128 : 0;

Location without(std::string Why) {
  Location L;
  L.Why = std::move(Why);
  return L;
}

Location tooComplex() {
  return without("tpctl does not follow the expression by which the debug "
                 "information tells its place here");
}

class VariableReader {
public:
  VariableReader(const std::shared_ptr<DebugFile> &File, const Entry &Function,
                 const CodePlace &At, CallFrames &Frames, std::string &Place);
  void addScopes(expressions::Signature &S, const Entry &Scope,
                 unsigned Depth = 0);

private:
  void addOne(expressions::Signature &S, const Entry &Variable);
  Location locate(const Entry &Variable, const Type &T);
  Location read(const DWARFDie &Die, ArrayRef<uint8_t> Bytes, const Type &T);
  Location readPieces(ArrayRef<Operation> All);
  std::optional<Location> start(const DWARFDie &Die, const Operation &Of,
                                std::string &Why);
  std::optional<FrameAddress> frameBase();
  bool isInPrologue() const { return At.Address < PrologueEnd; }
  bool covers(const DWARFDie &Scope) const;
  std::string lineAt(uint64_t Address) const;
  void readPrologue();

  const std::shared_ptr<DebugFile> &File;
  const Entry &Function;
  const CodePlace &At;
  CallFrames &Frames;
  uint64_t Begin = 0, PrologueEnd = 0;
  std::string &Place;
};

DWARFUnit *codeUnitOf(const Entry &Of) {
  // The lines of split DWARF are those of the skeleton.
  DWARFUnit *Unit = Of.Die.getDwarfUnit();
  DWARFUnit *Skeleton = Unit->getLinkedUnit();
  return Unit->isDWOUnit() && Skeleton ? Skeleton : Unit;
}

VariableReader::VariableReader(const std::shared_ptr<DebugFile> &File,
                               const Entry &Function, const CodePlace &At,
                               CallFrames &Frames, std::string &Place)
    : File(File), Function(Function), At(At), Frames(Frames), Place(Place) {
  readPrologue();
  if (std::string Line = lineAt(At.Address); !Line.empty())
    Place += " (" + Line + ")";
}

std::string VariableReader::lineAt(uint64_t Address) const {
  DWARFUnit *Unit = codeUnitOf(Function);
  const auto *Table = Unit->getContext().getLineTableForUnit(Unit);
  DILineInfo Info;
  using Kind = DILineInfoSpecifier::FileLineInfoKind;
  if (!Table ||
      !Table->getFileLineInfoForAddress(
          {Address, object::SectionedAddress::UndefSection}, false,
          Unit->getCompilationDir(), Kind::BaseNameOnly, Info) ||
      !Info.Line)
    return "";
  return (sys::path::filename(Info.FileName) + ":" + Twine(Info.Line)).str();
}

/// Compilers store arguments to their places at a function's beginning, and
/// without optimization the places are told for the whole function. clang marks
/// the end of the beginning; otherwise the second line is there (as debuggers
/// have it).
void VariableReader::readPrologue() {
  uint64_t End = 0, Section = 0;
  if (!Function.Die.getLowAndHighPC(Begin, End, Section) ||
      At.Address < Begin || At.Address >= End)
    return;
  DWARFUnit *Unit = codeUnitOf(Function);
  const auto *Table = Unit->getContext().getLineTableForUnit(Unit);
  if (!Table)
    return;
  std::vector<uint32_t> Rows;
  Table->lookupAddressRange({Begin, object::SectionedAddress::UndefSection},
                            End - Begin, Rows);
  for (uint32_t Row : Rows)
    if (Table->Rows[Row].PrologueEnd) {
      PrologueEnd = Table->Rows[Row].Address.Address;
      return;
    }
  for (uint32_t Row : Rows)
    if (const auto &Of = Table->Rows[Row];
        Of.Address.Address > Begin && Of.Line && Of.IsStmt) {
      PrologueEnd = Of.Address.Address;
      return;
    }
}

bool VariableReader::covers(const DWARFDie &Scope) const {
  auto Ranges = Scope.getAddressRanges();
  if (!Ranges) {
    consumeError(Ranges.takeError());
    return false;
  }
  return any_of(*Ranges, [&](const DWARFAddressRange &R) {
    return R.LowPC <= At.Address && At.Address < R.HighPC;
  });
}

/// The inner scopes come first. Damaged debug information may be nested without
/// end.
void VariableReader::addScopes(expressions::Signature &S, const Entry &Scope,
                               unsigned Depth) {
  if (Depth > 64)
    return;
  std::vector<DWARFDie> Children = childrenOf(Scope.Die);
  for (const DWARFDie &Child : Children) {
    Tag T = Child.getTag();
    bool IsScope = T == DW_TAG_lexical_block || T == DW_TAG_try_block ||
                   T == DW_TAG_catch_block || T == DW_TAG_inlined_subroutine;
    if (IsScope && covers(Child))
      addScopes(S, Scope.with(Child), Depth + 1);
  }
  for (const DWARFDie &Child : Children)
    if (Child.getTag() == DW_TAG_variable ||
        Child.getTag() == DW_TAG_formal_parameter)
      addOne(S, Scope.with(Child));
}

void VariableReader::addOne(expressions::Signature &S, const Entry &Variable) {
  expressions::ArgumentType A;
  A.Name = Variable.name().str();
  // A declaration of a global variable hides nothing.
  if (A.Name.empty() || Variable.Die.find(DW_AT_declaration))
    return;
  Entry Of = Variable.type();
  A.T = typeOf(File, Of);
  A.T.Spelling = nameOf(Of);
  A.Where = locate(Variable, A.T);
  S.Arguments.push_back(std::move(A));
}

Location VariableReader::locate(const Entry &Variable, const Type &T) {
  if (Variable.Die.findRecursively(DW_AT_const_value)) {
    auto Number = Variable.number(DW_AT_const_value);
    if (!Number || !T.isScalar() || T.IsReference || T.isFloating())
      return without("it is a constant that tpctl cannot read");
    Location L;
    L.IsConstant = true;
    L.Addend = static_cast<int64_t>(*Number);
    return L;
  }
  Location Gone = without("it has no value at " + Place +
                          ": the compiler has optimized it out there");
  // A static variable may be described with the function that was inlined.
  Entry Own = Variable;
  if (!Own.Die.find(DW_AT_location))
    Own = Variable.at(DW_AT_abstract_origin);
  if (!Own || !Own.Die.find(DW_AT_location))
    return Gone;
  auto All = Own.Die.getLocations(DW_AT_location);
  if (!All) {
    consumeError(All.takeError());
    return Gone;
  }
  for (const DWARFLocationExpression &Each : *All) {
    if (Each.Range &&
        (At.Address < Each.Range->LowPC || At.Address >= Each.Range->HighPC))
      continue;
    if (Each.Expr.empty())
      return Gone;
    Location L = read(Own.Die, Each.Expr, T);
    bool IsStored = L.IsAddress && !L.IsConstant && !Each.Range;
    if (IsStored && isInPrologue())
      return without("it gets its value after " + Place + ", and has it from " +
                     "the offset 0x" +
                     utohexstr(PrologueEnd - Begin, /*LowerCase=*/true) +
                     " of the function on");
    return L;
  }
  return Gone;
}

std::optional<FrameAddress> VariableReader::frameBase() {
  auto Where = Function.Die.find(DW_AT_frame_base);
  auto Bytes = Where ? Where->getAsBlock() : std::nullopt;
  if (!Bytes)
    return std::nullopt;
  auto All = operationsOf(Function.Die, *Bytes);
  if (All.size() != 1)
    return std::nullopt;
  if (All[0].getCode() == DW_OP_call_frame_cfa)
    return Frames.canonicalAt(At.Address);
  // A register of a frame that is whole: neither in parts of the function
  // before it is made nor after it is gone has the register this meaning.
  auto Number = registerOf(All[0]);
  auto Frame = Frames.canonicalAt(At.Address);
  if (!Number || !Frame || Frame->Register != *Number || !Frame->IsWhole)
    return std::nullopt;
  return FrameAddress{static_cast<unsigned>(*Number), 0};
}

/// What the first operation tells: a register, or a register and an offset
/// (IsAddress), or a constant. nullopt: it tells something else, and `Why` may
/// say what.
std::optional<Location> VariableReader::start(const DWARFDie &Die,
                                              const Operation &Of,
                                              std::string &Why) {
  Location L;
  uint64_t Code = Of.getCode();
  std::optional<FrameAddress> Sum;
  if (auto Number = registerOf(Of)) {
    Sum = FrameAddress{static_cast<unsigned>(*Number), 0};
  } else if (Code >= DW_OP_breg0 && Code <= DW_OP_breg31) {
    Sum = FrameAddress{static_cast<unsigned>(Code - DW_OP_breg0),
                       static_cast<int64_t>(Of.getRawOperand(0))};
    L.IsAddress = true;
  } else if (Code == DW_OP_bregx) {
    Sum = FrameAddress{static_cast<unsigned>(Of.getRawOperand(0)),
                       static_cast<int64_t>(Of.getRawOperand(1))};
    L.IsAddress = true;
  } else if (Code == DW_OP_fbreg) {
    Sum = frameBase();
    if (Sum)
      Sum->Offset += static_cast<int64_t>(Of.getRawOperand(0));
    else
      Why = "it has no value at " + Place +
            ": where the function's frame is, is unknown there";
    L.IsAddress = true;
  } else if (auto Address = addressOf(Die, Of)) {
    L.IsConstant = L.IsAddress = true;
    L.Addend = static_cast<int64_t>(*Address + At.Base);
    return L;
  } else if (Code >= DW_OP_lit0 && Code <= DW_OP_lit31) {
    L.IsConstant = true;
    L.Addend = static_cast<int64_t>(Code - DW_OP_lit0);
    return L;
  } else if (Code >= DW_OP_const1u && Code <= DW_OP_consts) {
    L.IsConstant = true;
    L.Addend = static_cast<int64_t>(Of.getRawOperand(0));
    return L;
  } else if (Code == DW_OP_entry_value || Code == DW_OP_GNU_entry_value) {
    Why = "it has no value at " + Place +
          ": only the value is known that it had when the function began";
  }
  if (!Sum)
    return std::nullopt;
  if (Sum->Register >= GeneralRegisters) {
    Why = "it is in a vector register, and at single instructions only general "
          "registers can be read";
    return std::nullopt;
  }
  if (L.IsAddress && Sum->Register == StackPointer && Sum->Offset < -RedZone) {
    Why = "it has no value at " + Place + ": the function has left its frame";
    return std::nullopt;
  }
  L.Pieces.push_back(
      {TPRT_PROGRAM_REGISTER, static_cast<int32_t>(Sum->Register)});
  L.Addend = Sum->Offset;
  return L;
}

/// A value in several registers.
Location VariableReader::readPieces(ArrayRef<Operation> All) {
  Location L;
  uint64_t Offset = 0;
  for (size_t I = 0; I < All.size(); ++I) {
    if (All[I].getCode() == DW_OP_piece) { // this part is optimized out
      Offset += All[I].getRawOperand(0);
      continue;
    }
    auto Number = registerOf(All[I]);
    if (!Number || *Number >= GeneralRegisters || I + 1 == All.size() ||
        All[I + 1].getCode() != DW_OP_piece)
      return tooComplex();
    uint64_t Bytes = All[++I].getRawOperand(0);
    L.Pieces.push_back(
        {TPRT_PROGRAM_REGISTER, static_cast<int32_t>(*Number), Offset, Bytes});
    Offset += Bytes;
  }
  return L.Pieces.empty() ? tooComplex() : L;
}

Location VariableReader::read(const DWARFDie &Die, ArrayRef<uint8_t> Bytes,
                              const Type &T) {
  auto All = operationsOf(Die, Bytes);
  bool IsScalar = T.IsReference || T.isScalar();
  if (All.empty())
    return tooComplex();
  if (All.back().getCode() == DW_OP_piece)
    return IsScalar ? tooComplex() : readPieces(All);
  std::string Why;
  auto L = start(Die, All[0], Why);
  if (!L)
    return Why.empty() ? tooComplex() : without(std::move(Why));
  bool IsRegister = !L->IsConstant && !L->IsAddress, IsValue = IsRegister;
  for (const Operation &Each : drop_begin(All)) {
    if (IsRegister || IsValue)
      return tooComplex();
    if (Each.getCode() == DW_OP_plus_uconst && !L->IsIndirect)
      L->Addend += static_cast<int64_t>(Each.getRawOperand(0));
    else if (Each.getCode() == DW_OP_deref && !L->IsIndirect && L->IsAddress)
      L->IsIndirect = true;
    else if (Each.getCode() == DW_OP_stack_value)
      IsValue = true;
    else
      return tooComplex();
  }
  if (!IsValue) {
    bool IsTwice = L->IsIndirect && T.IsReference;
    return !L->IsAddress || IsTwice ? tooComplex() : *L;
  }
  // A constant float is the number's bits.
  if (!IsScalar ? !IsRegister : L->IsConstant && T.isFloating())
    return tooComplex();
  if (!IsScalar && T.bytes() > 8)
    return tooComplex();
  if (L->IsConstant && T.IsReference)
    return tooComplex();
  // The word at an address is the value, or the sum is.
  L->IsAddress = std::exchange(L->IsIndirect, false);
  return *L;
}

} // namespace

void addVariables(expressions::Signature &S,
                  const std::shared_ptr<DebugFile> &File, const Entry &Function,
                  const CodePlace &At, CallFrames &Frames) {
  VariableReader(File, Function, At, Frames, S.Function).addScopes(S, Function);
}

} // namespace tpctl::types
