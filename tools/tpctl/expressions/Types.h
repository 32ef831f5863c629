// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The types of expressions: C's integers and pointers to them, as on the
// 64-bit processors that tp runs on.

#ifndef TPCTL_TYPES_H
#define TPCTL_TYPES_H

#include <cstdint>
#include <string>

namespace tpctl::expressions {

/// What differs between processors.
struct Target {
  unsigned ArgumentRegisters; ///< how many integer arguments are in registers
  bool CharIsSigned;
  static Target x86_64() { return {6, true}; }
  static Target aarch64() { return {8, false}; }
  /// The processor that this tpctl runs on.
  static Target host();
};

struct Type {
  enum BaseKind : uint8_t {
    Word, ///< a register whose type is unknown; computes as a long
    Void,
    Bool,
    Char, ///< plain char, whose sign depends on the target
    Integer,
    Floating, ///< is in no integer register
  };
  BaseKind Base = Word;
  bool Signed = true;   ///< of an Integer
  uint8_t Bits = 64;    ///< of an Integer
  uint8_t Pointers = 0; ///< how many `*` follow
  std::string Spelling; ///< as in a declaration; may be empty

  static Type integer(unsigned Bits, bool Signed) {
    return {Integer, Signed, static_cast<uint8_t>(Bits), 0, {}};
  }
  bool isPointer() const { return Pointers; }
  bool isVoid() const { return Base == Void && !Pointers; }
  bool isFloating() const { return Base == Floating && !Pointers; }
  bool isWord() const { return Base == Word && !Pointers; }
  bool isBool() const { return Base == Bool && !Pointers; }
  bool isChar() const { return Base == Char && !Pointers; }
  unsigned bits() const;
  bool isSigned(const Target &) const;
  /// The type that a pointer points to.
  Type pointee() const;
  Type pointer() const;
  /// As in C, for messages.
  std::string text() const;
};

/// The value as the register of a program holds it: with its sign or zeros
/// before its bits.
uint64_t normal(uint64_t Value, const Type &, const Target &);
/// Whether each value of `From`, held by a register, is also one of `To`.
bool fits(const Type &From, const Type &To, const Target &);
/// C's usual arithmetic conversions, of one and of two operands.
Type promoted(const Type &, const Target &);
Type common(const Type &, const Type &, const Target &);

} // namespace tpctl::expressions

#endif
