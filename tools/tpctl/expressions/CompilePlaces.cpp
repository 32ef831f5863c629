// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of Compiler that load: from registers, from words of the stack, and
// from memory.

#include "Compiler.h"

#include "tprt/control_program.h"

using namespace llvm;

namespace tpctl::expressions {

Loaded loadedBy(uint8_t Code, int64_t Number, const Type &T,
                const Target &Machine) {
  return {Code, Number, T.bits(), T.isSigned(Machine), T.isFloating()};
}

const Location::Piece *pieceOf(const Meaning &M) {
  uint64_t End = M.Offset + std::max<uint64_t>(M.T.bytes(), 1);
  for (const Location::Piece &P : M.Where->Pieces)
    if (P.Offset <= M.Offset && End <= P.Offset + P.Bytes)
      return &P;
  return nullptr;
}

Operand Compiler::loaded(uint8_t Code, int64_t Number, const Type &T) {
  Operand O;
  O.T = T;
  Loaded Which = loadedBy(Code, Number, T, Machine);
  if (auto Found = KeptIn.find(Which); Found != KeptIn.end()) {
    O.Register = Found->second;
    return O;
  }
  bool Keep = Uses[Which] > 1 && Kept < MostKept && Next + 1 < limit();
  O.Register = Keep ? TPRT_PROGRAM_REGISTERS - ++Kept : allocate();
  if (Keep)
    KeptIn[Which] = O.Register;
  emit(Code, O.Register, 0, 0, static_cast<int32_t>(Number));
  // An int in a register may have anything in the upper half.
  bool IsWhole = T.bits() == 64 || Code == TPRT_PROGRAM_ERROR ||
                 Code == TPRT_PROGRAM_THREAD || Code == TPRT_PROGRAM_DEPTH;
  if (!IsWhole)
    extendTo(O.Register, O);
  return O;
}

/// What a name stands for, or a member of what is in registers.
Operand Compiler::inPieces(const Node &N) {
  const Meaning &M = Meanings[N];
  const Location::Piece *P = pieceOf(M);
  Operand O;
  O.T = M.T;
  if (!P) {
    fail(N.Place, "this member is not in a register of its own, and cannot be "
                  "read");
    return O;
  }
  O = loaded(P->Code, P->Number, whole());
  O.T = M.T;
  auto First = static_cast<unsigned>(8 * (M.Offset - P->Offset)) + M.FirstBit;
  if (M.T.isFloating()) {
    if (First)
      cutBits(O, First, M.T.bits());
    if (M.T.bits() == 32)
      extend(O);
    return O;
  }
  unsigned Count = M.BitCount ? M.BitCount : M.T.bits();
  if (Count < 64)
    cutBits(O, First, Count);
  return M.T.isBool() ? convert(exact(O), M.T) : O;
}

Operand Compiler::name(const Node &N) {
  const Meaning &M = Meanings[N];
  if (!M.Offset)
    return loaded(M.Code, M.Number, M.T);
  Operand O = loaded(M.Code, M.Number, whole());
  advance(O, M.Offset);
  toRegister(O);
  O.T = M.T;
  if (M.T.bits() < 64)
    extend(O);
  return O;
}

/// A register, and another one that is multiplied by the size of an element.
Operand Compiler::indexed(const Meaning &M) {
  const unsigned Base = Next;
  Operand O = loaded(M.Code, M.Number, whole());
  const unsigned Second = Next;
  Operand Scale, Index = loaded(TPRT_PROGRAM_REGISTER,
                                static_cast<int64_t>(*M.Index), whole());
  Scale.T = whole();
  Scale.IsConstant = true;
  Scale.Value = M.Scale;
  if (M.Scale != 1)
    Index = operation(Second, TPRT_PROGRAM_MULTIPLY, Index, Scale, whole());
  return sum(Base, /*IsSubtraction=*/false, O, Index, whole());
}

/// The address of what is in memory. Its type is that of a number.
Operand Compiler::address(const Node &N) {
  const Meaning &M = Meanings[N];
  unsigned Base = Next;
  Operand O;
  switch (N.Kind) {
  case Node::Name:
    if (M.Code) {
      O = M.Index ? indexed(M) : loaded(M.Code, M.Number, whole());
    } else {
      O.IsConstant = true;
      O.Value = static_cast<uint64_t>(M.Number);
    }
    break;
  case Node::Unary:
    O = gen(*N.Children[0]);
    break;
  case Node::Index: {
    Operand Pointer = gen(*N.Children[0]), Which = gen(*N.Children[1]);
    O = sum(Base, false, Pointer, Which, Pointer.T);
    break;
  }
  case Node::ArrowMember:
    O = gen(*N.Children[0]);
    break;
  default: // Node::Member
    O = address(*N.Children[0]);
    break;
  }
  Current = N.Place;
  if (N.Kind == Node::Member || N.Kind == Node::ArrowMember ||
      N.Kind == Node::Name)
    advance(O, M.Offset);
  O.T = whole();
  return M.IsIndirect ? load(O, whole()) : O;
}

/// The value of what is in memory.
Operand Compiler::inMemory(const Node &N) {
  const Meaning &M = Meanings[N];
  Operand O = address(N);
  Current = N.Place;
  if (M.IsArray) {
    O.T = M.T;
    return O;
  }
  if (!M.BitCount)
    return load(O, M.T);
  unsigned Bits = 8;
  while (Bits < M.FirstBit + M.BitCount)
    Bits *= 2;
  if (Bits > 64) {
    fail(N.Place, "this bit-field is in more than 8 bytes, and cannot be read");
    return O;
  }
  O = load(O, Type::integer(Bits, false));
  O.T = M.T;
  cutBits(O, M.FirstBit, M.BitCount);
  return O;
}

/// One of the two parts of a C++ string or vector in registers.
Operand Compiler::partInPieces(const Node &N, const Member &Part) {
  Meaning M = Meanings[N];
  M.Offset += Part.Offset;
  M.T = whole();
  if (const Location::Piece *P = pieceOf(M))
    return loaded(P->Code, P->Number, whole());
  fail(N.Place, "this object is not in registers of its own, and cannot be "
                "read");
  return {};
}

Operand Compiler::partInMemory(const Node &N, const Member &Part) {
  Operand Object = address(N);
  advance(Object, Part.Offset);
  return load(Object, whole());
}

/// The length or the address of a text that may be in the object itself.
Operand Compiler::eitherPart(const Node &N, const Meaning::StringParts &Parts,
                             bool IsLength) {
  const unsigned Base = Next;
  if (Meanings[N].Form == Meaning::InPieces) {
    fail(N.Place, "this string is in registers, and cannot be read");
    return {};
  }
  Operand Object = address(N), O;
  if (Object.IsConstant)
    toRegister(Object);
  O.T = whole();
  O.Register = allocate();
  auto read = [&](const Member &M, uint8_t Bytes) {
    emit(TPRT_PROGRAM_LOAD, O.Register, Object.Register, Bytes,
         static_cast<int32_t>(Object.Addend + static_cast<int64_t>(M.Offset)));
  };
  auto cut = [&](const Member &M) {
    read(M, 1);
    cutBits(O, M.FirstBit, M.BitCount);
  };
  cut(Parts.Short->IsLong);
  const size_t ToShort = emit(TPRT_PROGRAM_JUMP_IF_ZERO, 0, O.Register, 0, 0);
  read(IsLength ? Parts.Length : Parts.Address, 8);
  const size_t ToEnd = emit(TPRT_PROGRAM_JUMP, 0, 0, 0, 0);
  endJump(ToShort);
  if (IsLength)
    cut(Parts.Short->Length);
  else
    emit(TPRT_PROGRAM_ADD | TPRT_PROGRAM_IMMEDIATE, O.Register, Object.Register,
         0,
         static_cast<int32_t>(Object.Addend +
                              static_cast<int64_t>(Parts.Short->Text)));
  endJump(ToEnd);
  moveTo(O, Base);
  return O;
}

/// The parts of a C++ string or vector. `Length` may be null.
Operand Compiler::parts(const Node &N, const Meaning::StringParts &Parts,
                        Operand *Length) {
  if (Parts.Short) // The text ends with a NUL, so no length is wanted.
    return eitherPart(N, Parts, /*IsLength=*/false);
  if (Meanings[N].Form == Meaning::InPieces) {
    if (Length)
      *Length = partInPieces(N, Parts.Length);
    return partInPieces(N, Parts.Address);
  }
  Operand Object = address(N);
  if (Object.IsConstant)
    toRegister(Object);
  if (Length) {
    Length->T = whole();
    Length->Register = allocate();
    emit(TPRT_PROGRAM_LOAD, Length->Register, Object.Register, 8,
         static_cast<int32_t>(Object.Addend +
                              static_cast<int64_t>(Parts.Length.Offset)));
  }
  advance(Object, Parts.Address.Offset);
  return load(Object, whole());
}

/// Loads the address of a text to a register, and bounds a text that may have
/// no NUL. The operation that reads the text comes right after that.
unsigned Compiler::text(const Node &N) {
  const Node &Of = N.Kind == Node::Str ? *N.Children[0] : N;
  const Meaning &M = Meanings[Of];
  Operand Address, Length;
  bool IsBounded = false;
  if (M.Parts) {
    IsBounded = !M.Parts->HasNul;
    Address = parts(Of, *M.Parts, IsBounded ? &Length : nullptr);
    toRegister(Address);
  } else {
    Address = gen(Of);
    toRegister(Address);
    IsBounded =
        M.IsArray && M.ArrayBytes && M.ArrayBytes <= TPRT_PROGRAM_MOST_STRING;
    if (IsBounded) {
      Length.IsConstant = true;
      Length.Value = M.ArrayBytes;
      toRegister(Length);
    }
  }
  if (IsBounded)
    emit(TPRT_PROGRAM_BOUND, 0, Length.Register, 0, 0);
  return Address.Register;
}

/// The number of elements.
Operand Compiler::length(const Node &N) {
  const Node &Child = *N.Children[0];
  const Meaning::StringParts &Parts = *Meanings[N].Parts;
  if (Parts.Short)
    return eitherPart(Child, Parts, /*IsLength=*/true);
  if (Meanings[Child].Parts) {
    return Meanings[Child].Form == Meaning::InPieces
               ? partInPieces(Child, Parts.Length)
               : partInMemory(Child, Parts.Length);
  }
  unsigned Base = Next;
  Operand Last, First = parts(Child, Parts, &Last);
  First.T = Last.T = Parts.Address.T;
  Operand Count = sum(Base, true, Last, First, Type::integer(64, true));
  Count.T = whole();
  return Count;
}

} // namespace tpctl::expressions
