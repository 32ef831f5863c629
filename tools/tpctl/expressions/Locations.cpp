// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Locations.h. x86-64: System V psABI, section 3.2.3. AArch64: AAPCS64,
// section 6.8. C++: Itanium C++ ABI, section 3.1 (what is passed by address).

#include "Locations.h"

#include "tprt/control_program.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace llvm;

namespace tpctl::expressions {
namespace {

/// The stack words that a program can load (STACK_ARGUMENT).
constexpr uint64_t MostStackWords = 8;

constexpr uint64_t wordsOf(uint64_t Bytes) { return (Bytes + 7) / 8; }

Location unknown(std::string Why) {
  Location L;
  L.Why = std::move(Why);
  return L;
}

/// Whether a part of a value has a type whose passing is unknown, such as a
/// vector or a long double.
bool hasUnknownPart(const Type &T, unsigned Depth = 0) {
  if (T.IsReference || T.isScalar())
    return T.isVoid();
  if (Depth > 16 || T.isOther() || !T.Of || T.layout()->IsIncomplete)
    return true;
  // Compilers differ about structures that end in an array without a length.
  if (T.isArray())
    return !T.Of->Count || hasUnknownPart(T.Of->Element, Depth + 1);
  return any_of(T.layout()->members(), [&](const Member &M) {
    return hasUnknownPart(M.T, Depth + 1);
  });
}

/// Calls `Visit` with each number or pointer of a value and its offset. Returns
/// false if a part has an unknown type.
bool visitScalars(const Type &T, uint64_t Offset, unsigned Depth,
                  function_ref<void(const Type &, uint64_t)> Visit) {
  if (Depth > 16)
    return false;
  if (T.IsReference || T.isScalar()) {
    Visit(T, Offset);
    return !T.isVoid();
  }
  if (T.isOther() || !T.Of || T.layout()->IsIncomplete)
    return false;
  if (T.isArray()) {
    uint64_t Each = T.Of->Element.bytes();
    for (uint64_t I = 0; I < T.Of->Count; ++I)
      if (I * Each >= 64 ||
          !visitScalars(T.Of->Element, Offset + I * Each, Depth + 1, Visit))
        return false;
    return true;
  }
  for (const Member &M : T.layout()->members()) {
    if (M.BitCount) {
      // A packed one may be in two words.
      uint64_t First = 8 * (Offset + M.Offset) + M.FirstBit;
      for (uint64_t Bit : {First, First + M.BitCount - 1})
        Visit(Type::integer(8, false), Bit / 8);
      continue;
    }
    if (!visitScalars(M.T, Offset + M.Offset, Depth + 1, Visit))
      return false;
  }
  return true;
}

/// Gives registers and words of the stack to values, one after the other.
class Allocator {
public:
  Allocator(const Target &Machine, uint8_t Integer, uint8_t Vector,
            unsigned Integers, unsigned Vectors)
      : Machine(Machine), Integer(Integer), Vector(Vector), Integers(Integers),
        Vectors(Vectors) {}
  virtual ~Allocator() = default;

  Location next(const Type &T) {
    if (IsLost)
      return unknown("how an argument before it, or the result, is passed is "
                     "unknown");
    if (T.IsReference || T.isScalar())
      return scalar(T);
    if (!T.isRecord() || !T.Of || T.layout()->IsIncomplete ||
        !T.layout()->Bytes)
      return lost();
    if (T.layout()->IsByAddress)
      return byAddress();
    return hasUnknownPart(T) ? lost() : record(T);
  }
  /// A hidden argument, such as the address of the result.
  void skipInteger() { ++UsedIntegers; }
  /// After a value of an unknown kind, nothing is known about later ones.
  Location lost() {
    IsLost = true;
    return unknown("how a value of its type is passed is unknown");
  }

protected:
  bool hasIntegers(uint64_t Count) const {
    return UsedIntegers + Count <= Integers;
  }
  bool hasVectors(uint64_t Count) const {
    return UsedVectors + Count <= Vectors;
  }
  void addInteger(Location &To, uint64_t Offset, uint64_t Bytes) {
    To.Pieces.push_back(
        {Integer, static_cast<int32_t>(UsedIntegers++), Offset, Bytes});
  }
  void addVector(Location &To, uint64_t Offset, uint64_t Bytes) {
    To.Pieces.push_back(
        {Vector, static_cast<int32_t>(UsedVectors++), Offset, Bytes});
  }
  Location onStack(uint64_t Bytes, uint64_t Alignment = 8) {
    if (!StackIsKnown)
      return unknown("it is in memory after an argument of unknown size or "
                     "alignment");
    // The size is a multiple of the alignment.
    bool MayBeAligned = !Alignment && Bytes % 16 == 0 && StackWords % 2;
    if (!Bytes || MayBeAligned || Alignment > 16)
      StackIsKnown = false;
    if (MayBeAligned || Alignment > 16)
      return unknown("it is in memory, and its alignment is unknown");
    if (Alignment == 16)
      StackWords += StackWords % 2;
    uint64_t First = StackWords;
    StackWords += wordsOf(Bytes);
    if (!Bytes || StackWords > MostStackWords)
      return unknown("it is in memory, after the first 8 words of arguments");
    Location L;
    for (uint64_t I = 0; I < wordsOf(Bytes); ++I)
      L.Pieces.push_back({TPRT_PROGRAM_STACK_ARGUMENT,
                          static_cast<int32_t>(First + I), 8 * I,
                          std::min<uint64_t>(8, Bytes - 8 * I)});
    return L;
  }
  Location scalar(const Type &T) {
    Location L;
    if (T.isFloating() && !T.IsReference) {
      if (!hasVectors(1))
        return onStack(8);
      addVector(L, 0, T.bytes());
    } else {
      if (!hasIntegers(1))
        return onStack(8);
      addInteger(L, 0, 8);
    }
    return L;
  }
  Location byAddress() {
    Location L = scalar(Type());
    L.IsAddress = true;
    return L;
  }
  /// A structure by value, all parts of which are known.
  virtual Location record(const Type &T) = 0;

  const Target &Machine;

private:
  uint8_t Integer, Vector;
  unsigned Integers, Vectors, UsedIntegers = 0, UsedVectors = 0;
  uint64_t StackWords = 0;
  bool StackIsKnown = true, IsLost = false;
};

class X86_64 : public Allocator {
public:
  using Allocator::Allocator;
  /// Whether the value is in memory, to which the caller passes an address if
  /// it is a result.
  static bool isInMemory(const Type &T) {
    Class Words[2];
    return T.layout()->IsByAddress || !classify(T, Words);
  }

private:
  /// The classes of a record's two words.
  enum class Class { None, Sse, Integer };

  /// False if the class of the whole is MEMORY.
  static bool classify(const Type &T, Class (&Words)[2]) {
    Words[0] = Words[1] = Class::None;
    if (T.layout()->Bytes > 16)
      return false;
    bool IsPlain = true;
    bool IsKnown = visitScalars(T, 0, 0, [&](const Type &Of, uint64_t Offset) {
      IsPlain &= Of.bytes() && Offset % Of.bytes() == 0 && Offset < 16;
      if (!IsPlain)
        return;
      bool InVector = Of.isFloating() && !Of.IsReference;
      Class &Word = Words[Offset / 8];
      Word = std::max(Word, InVector ? Class::Sse : Class::Integer);
    });
    return IsKnown && IsPlain;
  }
  Location record(const Type &T) override {
    Class Words[2];
    uint64_t Bytes = T.layout()->Bytes;
    if (!classify(T, Words))
      return onStack(Bytes, T.layout()->Alignment);
    if (!hasVectors(static_cast<uint64_t>(count(Words, Class::Sse))) ||
        !hasIntegers(static_cast<uint64_t>(count(Words, Class::Integer))))
      return onStack(Bytes, T.layout()->Alignment);
    Location L;
    for (uint64_t I = 0; 8 * I < Bytes; ++I) {
      uint64_t Part = std::min<uint64_t>(8, Bytes - 8 * I);
      if (Words[I] == Class::Sse)
        addVector(L, 8 * I, Part);
      else if (Words[I] == Class::Integer)
        addInteger(L, 8 * I, Part);
    }
    return L;
  }
};

class AArch64 : public Allocator {
public:
  using Allocator::Allocator;

private:
  /// The offsets of the one to four equal floating-point members that a
  /// "homogeneous aggregate" has, and nothing else; or none.
  static std::vector<uint64_t> floatsOf(const Type &T, uint64_t &Each) {
    std::vector<uint64_t> Offsets;
    bool IsHomogeneous = true;
    Each = 0;
    bool IsKnown = visitScalars(T, 0, 0, [&](const Type &Of, uint64_t Offset) {
      IsHomogeneous &=
          Of.isFloating() && !Of.IsReference && (!Each || Each == Of.bytes());
      Each = Of.bytes();
      Offsets.push_back(Offset);
    });
    if (!IsKnown || !IsHomogeneous || Offsets.size() > 4 || T.layout()->IsUnion)
      Offsets.clear();
    return Offsets;
  }
  Location record(const Type &T) override {
    uint64_t Bytes = T.layout()->Bytes, Each;
    // Such values begin at an even register.
    if (T.layout()->Alignment > 8 && Bytes <= 16)
      return lost();
    Location L;
    if (auto Floats = floatsOf(T, Each); !Floats.empty()) {
      if (!hasVectors(Floats.size()))
        return lost();
      for (uint64_t Offset : Floats)
        addVector(L, Offset, Each);
      return L;
    }
    if (Bytes > 16)
      return byAddress();
    if (!hasIntegers(wordsOf(Bytes)))
      return lost();
    for (uint64_t I = 0; I < wordsOf(Bytes); ++I)
      addInteger(L, 8 * I, std::min<uint64_t>(8, Bytes - 8 * I));
    return L;
  }
};

std::unique_ptr<Allocator> allocatorFor(const Target &Machine, bool OfResult) {
  uint8_t Integer = OfResult ? TPRT_PROGRAM_RESULT : TPRT_PROGRAM_ARGUMENT,
          Vector = OfResult ? TPRT_PROGRAM_FLOAT_RESULT
                            : TPRT_PROGRAM_FLOAT_ARGUMENT;
  unsigned Integers = OfResult ? 2 : Machine.ArgumentRegisters;
  if (Machine.IsX86)
    return std::make_unique<X86_64>(Machine, Integer, Vector, Integers,
                                    OfResult ? 2 : 8);
  return std::make_unique<AArch64>(Machine, Integer, Vector, Integers,
                                   OfResult ? 4 : 8);
}

} // namespace

std::vector<Location> locateArguments(const Signature &S,
                                      const Target &Machine) {
  auto All = allocatorFor(Machine, false);
  // AArch64 has a register of its own for the address of the result.
  if (Machine.IsX86 && S.Result && S.Result->Of && !S.Result->IsReference) {
    const Type &R = *S.Result;
    bool IsByAddress = R.isRecord() && R.layout()->IsByAddress;
    if (R.isRecord() && !IsByAddress && hasUnknownPart(R))
      All->lost();
    else if (R.isRecord() && X86_64::isInMemory(R))
      All->skipInteger();
    // Without AVX, functions return large vectors in memory.
    else if (R.isOther() && R.Of->Bytes > 16)
      All->lost();
  }
  std::vector<Location> Result;
  for (const ArgumentType &A : S.Arguments)
    Result.push_back(All->next(A.T));
  return Result;
}

Location locateResult(const Type &T, const Target &Machine) {
  if (T.isRecord() && !T.IsReference) {
    if (!T.Of || T.layout()->IsIncomplete || !T.layout()->Bytes)
      return unknown("its members are unknown");
    if (!T.layout()->IsByAddress && hasUnknownPart(T))
      return unknown("how a value of its type is returned is unknown");
    if (Machine.IsX86 && X86_64::isInMemory(T)) {
      Location L;
      L.Pieces.push_back({TPRT_PROGRAM_RESULT, 0, 0, 8});
      L.IsAddress = true;
      return L;
    }
  }
  Location L = allocatorFor(Machine, true)->next(T);
  if (L.IsAddress || L.Pieces.empty())
    return unknown("the function writes it to memory of its caller");
  return L;
}

} // namespace tpctl::expressions
