// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Types.h.

#include "Types.h"

#include "tprt/regs.h"
#include <algorithm>

namespace tpctl::expressions {

Target Target::host() {
  return TPRT_ARGUMENT_REGISTERS == 6 ? x86_64() : aarch64();
}

unsigned Type::bits() const {
  if (Pointers || IsReference)
    return 64;
  switch (Base) {
  case Bool:
  case Char:
  case Void: // arithmetic with void * counts bytes, as GNU C's
    return 8;
  case Integer:
  case Floating:
  case Enumeration:
    return Bits;
  case Word:
  case Record:
  case Array:
  case Other:
    break;
  }
  return 64;
}

const Layout *Type::layout() const { return Of ? &Of->complete() : nullptr; }

uint64_t Type::bytes() const {
  if (IsReference)
    return 8;
  if (isRecord() || isArray())
    return Of ? layout()->Bytes : 0;
  return isOther() ? 0 : bits() / 8;
}

Type Type::referent() const {
  Type Result = *this;
  Result.IsReference = false;
  Result.Spelling.clear();
  return Result;
}

bool Type::isSigned(const Target &Machine) const {
  if (Pointers || IsReference || Base == Bool)
    return false;
  return Base == Char ? Machine.CharIsSigned : Base == Word || Signed;
}

Type Type::pointee() const {
  if (isArray())
    return Of->Element;
  Type Result = *this;
  --Result.Pointers;
  Result.Spelling.clear();
  return Result;
}

Type Type::pointer() const {
  Type Result = *this;
  ++Result.Pointers;
  Result.Spelling.clear();
  return Result;
}

std::string Type::text() const {
  if (!Spelling.empty())
    return Spelling;
  std::string Result;
  switch (Base) {
  case Word:
    Result = "long";
    break;
  case Void:
    Result = "void";
    break;
  case Bool:
    Result = "bool";
    break;
  case Char:
    Result = "char";
    break;
  case Floating:
    Result = Bits == 32 ? "float" : "double";
    break;
  case Enumeration:
  case Record:
    Result = Of && !Of->Name.empty() ? Of->Name
             : Base == Enumeration   ? "enum {...}"
             : Of && Of->IsUnion     ? "union {...}"
                                     : "struct {...}";
    break;
  case Array:
    Result = Of->Element.text() + " [" +
             (Of->Count ? std::to_string(Of->Count) : std::string()) + "]";
    break;
  case Other:
    Result = "unknown type";
    break;
  case Integer:
    Result = !Signed ? "unsigned " : Bits == 8 ? "signed " : "";
    Result += Bits == 8    ? "char"
              : Bits == 16 ? "short"
              : Bits == 32 ? "int"
                           : "long";
    break;
  }
  if (Pointers || IsReference)
    Result += " " + std::string(Pointers, '*') + (IsReference ? "&" : "");
  return Result;
}

std::optional<Member> Layout::find(const std::string &Wanted,
                                   unsigned Depth) const {
  for (const Member &M : members())
    if (M.Name == Wanted)
      return M;
  // Base classes nest, but not endlessly, unless the debug information lies.
  if (Depth == 16)
    return std::nullopt;
  for (const Member &M : members()) {
    if (!M.Name.empty() || !M.T.isRecord() || !M.T.Of)
      continue;
    auto Inner = M.T.layout()->find(Wanted, Depth + 1);
    if (!Inner)
      continue;
    Inner->Offset += M.Offset;
    return Inner;
  }
  return std::nullopt;
}

uint64_t normal(uint64_t Value, const Type &T, const Target &Machine) {
  if (T.isFloating())
    return Value;
  if (T.isBool())
    return Value != 0;
  unsigned Above = 64 - T.bits();
  return T.isSigned(Machine)
             ? static_cast<uint64_t>(static_cast<int64_t>(Value << Above) >>
                                     Above)
             : Value << Above >> Above;
}

bool fits(const Type &From, const Type &To, const Target &Machine) {
  if (From.isFloating() || To.isFloating())
    return From.isFloating() && To.isFloating() && From.bits() <= To.bits();
  if (To.isBool())
    return From.isBool();
  // A register's 64 bits are those of the conversion to 64 bits.
  if (To.bits() == 64)
    return true;
  if (From.isBool())
    return true;
  if (From.isSigned(Machine) == To.isSigned(Machine))
    return From.bits() <= To.bits();
  return To.isSigned(Machine) && From.bits() < To.bits();
}

Type promoted(const Type &T, const Target &Machine) {
  if (T.isFloating())
    return Type::floating(T.bits());
  if (T.bits() < 32)
    return Type::integer(32, true);
  return Type::integer(T.bits(), T.isSigned(Machine));
}

Type common(const Type &A, const Type &B, const Target &Machine) {
  Type Left = promoted(A, Machine), Right = promoted(B, Machine);
  if (Left.isFloating() != Right.isFloating())
    return Left.isFloating() ? Left : Right;
  if (Left.Bits != Right.Bits)
    return Left.Bits > Right.Bits ? Left : Right;
  return Left.Signed ? Right : Left;
}

} // namespace tpctl::expressions
