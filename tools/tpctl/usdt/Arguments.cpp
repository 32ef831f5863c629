// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Arguments.h. The operands of x86-64 are those of AT&T's syntax.

#include "Arguments.h"

#include "expressions/Registers.h"
#include "tprt/control_program.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include <optional>

using namespace llvm;

namespace tpctl::usdt {
namespace {

using expressions::ArgumentType;
using expressions::Location;
using expressions::Type;

/// The arguments, which have spaces between them. Brackets may have spaces
/// inside.
std::vector<StringRef> split(StringRef Text) {
  std::vector<StringRef> All;
  size_t Begin = 0;
  int Depth = 0;
  for (size_t At = 0; At <= Text.size(); ++At) {
    const char C = At < Text.size() ? Text[At] : ' ';
    Depth += C == '[' || C == '(';
    Depth -= (C == ']' || C == ')') && Depth;
    if (C != ' ' || (Depth && At < Text.size()))
      continue;
    if (At > Begin)
      All.push_back(Text.slice(Begin, At));
    Begin = At + 1;
  }
  return All;
}

struct Register {
  unsigned Number; ///< as DWARF counts them
  unsigned Bytes;
};

/// rax, eax, ax, al; r8, r8d, r8w, r8b. Not the upper byte ah.
std::optional<Register> registerOfX86(StringRef Name) {
  auto find = [](const Twine &Whole) {
    return expressions::registerNumber(Whole.str(), /*IsX86=*/true);
  };
  auto with = [](std::optional<unsigned> Number,
                 unsigned Bytes) -> std::optional<Register> {
    return Number ? std::optional<Register>({*Number, Bytes}) : std::nullopt;
  };
  StringRef Rest = Name;
  if (Rest.size() > 1 && Rest[0] == 'r' && isDigit(Rest[1])) {
    const unsigned Bytes = Rest.consume_back("d")   ? 4
                           : Rest.consume_back("w") ? 2
                           : Rest.consume_back("b") ? 1
                                                    : 8;
    return with(find(Rest), Bytes);
  }
  if (Name.starts_with("r"))
    return with(find(Name), 8);
  if (Rest.consume_front("e"))
    return with(find("r" + Rest), 4);
  if (Name.size() == 2 && StringRef("abcd").contains(Name[0]) && Name[1] == 'l')
    return with(find("r" + Name.take_front(1) + "x"), 1);
  if (Name.size() == 3 && Rest.consume_back("l"))
    return with(find("r" + Rest), 1);
  return Name.size() == 2 ? with(find("r" + Name), 2) : std::nullopt;
}

std::optional<Register> registerOfArm(StringRef Name) {
  if (Name == "sp" || Name == "wsp")
    return Register{31, Name == "sp" ? 8u : 4u};
  unsigned Number;
  if (Name.size() < 2 || (Name[0] != 'x' && Name[0] != 'w') ||
      Name.drop_front().getAsInteger(10, Number) || Number > 30)
    return std::nullopt;
  return Register{Number, Name[0] == 'x' ? 8u : 4u};
}

Location without(const Twine &Why) {
  Location L;
  L.Why = Why.str();
  return L;
}

Location unknown(StringRef Operand) {
  return without("tpctl does not understand its place '" + Operand + "'");
}

Location constant(int64_t Value, bool IsAddress = false) {
  Location L;
  L.IsConstant = true;
  L.IsAddress = IsAddress;
  L.Addend = Value;
  return L;
}

Location inRegister(const Register &R) {
  Location L;
  L.Pieces.push_back({TPRT_PROGRAM_REGISTER, static_cast<int32_t>(R.Number)});
  return L;
}

Location atRegister(const Register &R, int64_t Addend) {
  Location L = inRegister(R);
  L.IsAddress = true;
  L.Addend = Addend;
  return L;
}

/// A number as assemblers write it.
std::optional<int64_t> numberOf(StringRef Text) {
  const bool IsNegative = Text.consume_front("-");
  if (!IsNegative)
    Text.consume_front("+");
  uint64_t Value;
  if (Text.empty() || !isDigit(Text[0]) || Text.getAsInteger(0, Value))
    return std::nullopt;
  return static_cast<int64_t>(IsNegative ? 0 - Value : Value);
}

/// A sum of numbers and of one symbol at most, as in counter+8-4.
struct Sum {
  int64_t Number = 0;
  std::string Symbol;
};

std::optional<Sum> sumOf(StringRef Text) {
  Sum S;
  Text = Text.trim();
  while (!Text.empty()) {
    size_t End = Text.find_first_of("+-", 1);
    StringRef Term = Text.take_front(End);
    Text = Text.drop_front(Term.size());
    if (auto Value = numberOf(Term)) {
      S.Number = static_cast<int64_t>(static_cast<uint64_t>(S.Number) +
                                      static_cast<uint64_t>(*Value));
      continue;
    }
    Term.consume_front("+");
    const bool IsName =
        !Term.empty() && !isDigit(Term[0]) && all_of(Term, [](char C) {
          return isAlnum(C) || C == '_' || C == '.' || C == '$';
        });
    if (!IsName || !S.Symbol.empty())
      return std::nullopt;
    S.Symbol = Term.str();
  }
  return S;
}

class OperandReader {
public:
  OperandReader(const FileNotes &File, uint64_t Base)
      : File(File), Base(Base) {}
  Location read(StringRef Operand, unsigned &Bytes) const {
    return File.IsX86 ? readX86(Operand, Bytes) : readArm(Operand, Bytes);
  }

private:
  Location readX86(StringRef Operand, unsigned &Bytes) const;
  Location readX86Memory(StringRef Operand) const;
  Location readArm(StringRef Operand, unsigned &Bytes) const;
  Location readArmMemory(StringRef Operand) const;
  /// nullopt: the file has no such symbol.
  std::optional<int64_t> valueOf(const Sum &S, bool IsAddress) const;
  static Location noSymbol(const Sum &S) {
    return without("the variable '" + S.Symbol +
                   "' is not among the file's symbols (was it stripped?), or "
                   "several have this name");
  }

  const FileNotes &File;
  const uint64_t Base;
};

std::optional<int64_t> OperandReader::valueOf(const Sum &S,
                                              bool IsAddress) const {
  if (S.Symbol.empty())
    return S.Number;
  auto At = File.Symbols.find(S.Symbol);
  if (At == File.Symbols.end())
    return std::nullopt;
  return static_cast<int64_t>(At->second + (IsAddress ? Base : 0) +
                              static_cast<uint64_t>(S.Number));
}

Location OperandReader::readX86(StringRef Operand, unsigned &Bytes) const {
  StringRef Rest = Operand;
  if (Rest.consume_front("$")) {
    auto S = sumOf(Rest);
    if (!S || Rest.empty())
      return unknown(Operand);
    auto Value = valueOf(*S, /*IsAddress=*/true);
    return Value ? constant(*Value) : noSymbol(*S);
  }
  if (Operand.contains(':'))
    return without("its place '" + Operand +
                   "' is in memory that each thread has of its own");
  if (!Rest.consume_front("%"))
    return readX86Memory(Operand);
  if (auto R = registerOfX86(Rest)) {
    Bytes = Bytes ? Bytes : R->Bytes;
    return inRegister(*R);
  }
  if (Rest.starts_with("xmm") || Rest.starts_with("ymm") ||
      Rest.starts_with("st"))
    return without("it is in the register %" + Rest +
                   ", and at single instructions only general registers can "
                   "be read");
  return unknown(Operand);
}

/// -16(%rbp), (%rax,%rbx,4), counter(%rip), counter.
Location OperandReader::readX86Memory(StringRef Operand) const {
  auto [Before, Inside] = Operand.split('(');
  const bool HasBase = Before.size() != Operand.size();
  auto S = sumOf(Before);
  if (!S || Operand.empty() || (HasBase && !Inside.consume_back(")")))
    return unknown(Operand);
  SmallVector<StringRef> Parts;
  Inside.split(Parts, ',');
  const bool IsFixed = !HasBase || Parts[0] == "%rip";
  auto Offset = valueOf(*S, IsFixed || !S->Symbol.empty());
  if (!Offset)
    return noSymbol(*S);
  if (IsFixed)
    return Parts.size() > 1 || (HasBase && S->Symbol.empty())
               ? unknown(Operand)
               : constant(*Offset, /*IsAddress=*/true);
  auto find = [](StringRef Name) {
    return Name.consume_front("%") ? registerOfX86(Name) : std::nullopt;
  };
  auto First = find(Parts[0]);
  if (!First || First->Bytes != 8 || Parts.size() > 3)
    return unknown(Operand);
  Location L = atRegister(*First, *Offset);
  if (Parts.size() == 1)
    return L;
  auto Index = find(Parts[1]);
  unsigned Scale = 1;
  if (!Index || Index->Bytes != 8 ||
      (Parts.size() == 3 &&
       (Parts[2].getAsInteger(10, Scale) ||
        !StringRef("1248").contains(Parts[2]) || Parts[2].size() != 1)))
    return unknown(Operand);
  L.Index = Index->Number;
  L.Scale = Scale;
  return L;
}

Location OperandReader::readArm(StringRef Operand, unsigned &Bytes) const {
  if (Operand == "xzr" || Operand == "wzr")
    return constant(0);
  if (auto R = registerOfArm(Operand)) {
    Bytes = Bytes ? Bytes : R->Bytes;
    return inRegister(*R);
  }
  if (Operand.starts_with("["))
    return readArmMemory(Operand);
  StringRef Number = Operand;
  Number.consume_front("#");
  if (auto Value = numberOf(Number))
    return constant(*Value);
  unsigned Vector;
  if (Operand.size() > 1 && StringRef("bhsdqv").contains(Operand[0]) &&
      !Operand.drop_front().getAsInteger(10, Vector))
    return without("it is in the register " + Operand +
                   ", and at single instructions only general registers can "
                   "be read");
  return unknown(Operand);
}

/// [x0], [sp, 16], [x0, x1], [x0, x1, lsl 3].
Location OperandReader::readArmMemory(StringRef Operand) const {
  StringRef Inside = Operand;
  if (!Inside.consume_front("[") || !Inside.consume_back("]"))
    return unknown(Operand);
  SmallVector<StringRef> Parts;
  Inside.split(Parts, ',');
  for (StringRef &Part : Parts)
    Part = Part.trim();
  auto First = registerOfArm(Parts[0]);
  if (!First || First->Bytes != 8 || Parts.size() > 3)
    return unknown(Operand);
  if (Parts.size() == 1)
    return atRegister(*First, 0);
  StringRef Number = Parts[1];
  Number.consume_front("#");
  if (auto Offset = numberOf(Number))
    return Parts.size() == 2 ? atRegister(*First, *Offset) : unknown(Operand);
  auto Index = registerOfArm(Parts[1]);
  if (!Index || Index->Bytes != 8 || Index->Number == 31)
    return unknown(Operand);
  Location L = atRegister(*First, 0);
  L.Index = Index->Number;
  if (Parts.size() == 2)
    return L;
  StringRef Shift = Parts[2];
  unsigned Bits;
  if (!Shift.consume_front("lsl"))
    return unknown(Operand);
  Shift = Shift.trim();
  Shift.consume_front("#");
  if (Shift.getAsInteger(10, Bits) || Bits > 4)
    return unknown(Operand);
  L.Scale = 1u << Bits;
  return L;
}

Type integer(unsigned Bytes, bool IsSigned) {
  Type T = Type::integer(8 * Bytes, IsSigned);
  constexpr StringLiteral Words[] = {"char", "short", "int", "long"};
  StringRef Word = Words[Bytes == 1 ? 0 : Bytes == 2 ? 1 : Bytes == 4 ? 2 : 3];
  T.Spelling =
      (IsSigned ? (Bytes == 1 ? "signed " : "") : "unsigned ") + Word.str();
  return T;
}

/// The size before the operand: -4@, 8@, 8f@.
struct Size {
  unsigned Bytes = 0; ///< 0: none is given
  bool IsSigned = false, IsFloating = false, IsWrong = false;
};

Size takeSize(StringRef &Operand) {
  Size S;
  auto [Before, After] = Operand.split('@');
  if (Before.size() == Operand.size())
    return S;
  StringRef Digits = Before;
  S.IsSigned = Digits.consume_front("-");
  S.IsFloating = Digits.consume_back("f");
  if (Digits.empty() || !all_of(Digits, isDigit))
    return Size(); // an operand such as counter@GOTPCREL(%rip)
  Operand = After;
  S.IsWrong = Digits.getAsInteger(10, S.Bytes) ||
              (S.Bytes != 4 && S.Bytes != 8 &&
               (S.IsFloating || (S.Bytes != 1 && S.Bytes != 2)));
  return S;
}

ArgumentType argument(StringRef Text, const OperandReader &Reader) {
  ArgumentType A;
  StringRef Operand = Text;
  Size S = takeSize(Operand);
  if (S.IsWrong) {
    A.T = integer(8, false);
    A.Where = without("tpctl does not read values of the size that '" + Text +
                      "' has");
    return A;
  }
  A.Where = Reader.read(Operand, S.Bytes);
  const unsigned Bytes = S.Bytes ? S.Bytes : 8;
  A.T = S.IsFloating ? Type::floating(8 * Bytes) : integer(Bytes, S.IsSigned);
  if (S.IsFloating && !A.Where->IsAddress && A.Where->Why.empty())
    A.Where = unknown(Operand);
  return A;
}

} // namespace

std::vector<ArgumentType> argumentsOf(StringRef Text, const FileNotes &File,
                                      uint64_t Base) {
  const OperandReader Reader(File, Base);
  std::vector<ArgumentType> All;
  for (StringRef Each : split(Text)) {
    ArgumentType A = argument(Each, Reader);
    A.Name = "arg" + std::to_string(All.size());
    All.push_back(std::move(A));
  }
  return All;
}

std::vector<std::string> symbolsOf(StringRef Text, bool IsX86) {
  std::vector<std::string> Names;
  if (!IsX86) // names stand only in addresses of pages
    return Names;
  for (StringRef Each : split(Text)) {
    takeSize(Each);
    if (Each.starts_with("%"))
      continue;
    Each.consume_front("$");
    auto S = sumOf(Each.split('(').first);
    if (S && !S->Symbol.empty())
      Names.push_back(S->Symbol);
  }
  return Names;
}

} // namespace tpctl::usdt
