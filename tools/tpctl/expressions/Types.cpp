// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Types.h.

#include "Types.h"

#include "tprt/regs.h"
#include <algorithm>
#include <type_traits>

namespace tpctl::expressions {

Target Target::host() {
  return {TPRT_ARGUMENT_REGISTERS, std::is_signed_v<char>};
}

unsigned Type::bits() const {
  if (Pointers)
    return 64;
  switch (Base) {
  case Bool:
  case Char:
  case Void: // arithmetic with void * counts bytes, as GNU C's
    return 8;
  case Integer:
    return Bits;
  case Word:
  case Floating:
    break;
  }
  return 64;
}

bool Type::isSigned(const Target &Machine) const {
  if (Pointers || Base == Bool)
    return false;
  return Base == Char ? Machine.CharIsSigned : Base == Word || Signed;
}

Type Type::pointee() const {
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
    Result = "double";
    break;
  case Integer:
    Result = !Signed ? "unsigned " : Bits == 8 ? "signed " : "";
    Result += Bits == 8    ? "char"
              : Bits == 16 ? "short"
              : Bits == 32 ? "int"
                           : "long";
    break;
  }
  if (Pointers)
    Result += " " + std::string(Pointers, '*');
  return Result;
}

uint64_t normal(uint64_t Value, const Type &T, const Target &Machine) {
  if (T.isBool())
    return Value != 0;
  unsigned Above = 64 - T.bits();
  return T.isSigned(Machine)
             ? static_cast<uint64_t>(static_cast<int64_t>(Value << Above) >>
                                     Above)
             : Value << Above >> Above;
}

bool fits(const Type &From, const Type &To, const Target &Machine) {
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
  if (T.bits() < 32)
    return Type::integer(32, true);
  return Type::integer(T.bits(), T.isSigned(Machine));
}

Type common(const Type &A, const Type &B, const Target &Machine) {
  Type Left = promoted(A, Machine), Right = promoted(B, Machine);
  if (Left.Bits != Right.Bits)
    return Left.Bits > Right.Bits ? Left : Right;
  return Left.Signed ? Right : Left;
}

} // namespace tpctl::expressions
