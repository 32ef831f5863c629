// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The types of expressions: C's numbers, pointers, and what debug information
// describes, as on the 64-bit processors that tp runs on.

#ifndef TPCTL_TYPES_H
#define TPCTL_TYPES_H

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tpctl::expressions {

/// What differs between processors.
struct Target {
  unsigned ArgumentRegisters; ///< how many integer arguments are in registers
  bool CharIsSigned;
  bool IsX86;
  static Target x86_64() { return {6, true, true}; }
  static Target aarch64() { return {8, false, false}; }
  /// The processor that this tpctl runs on.
  static Target host();
};

class Layout;

struct Type {
  enum BaseKind : uint8_t {
    Word, ///< a register whose type is unknown; computes as a long
    Void,
    Bool,
    Char, ///< plain char, whose sign depends on the target
    Integer,
    Floating,    ///< float and double; computes as a double
    Enumeration, ///< an integer whose values have names
    Record,      ///< a structure, a class or a union
    Array,
    Other, ///< is known by name only: a function, a long double
  };
  BaseKind Base = Word;
  bool Signed = true;   ///< of an Integer or an Enumeration
  uint8_t Bits = 64;    ///< of an Integer, a Floating or an Enumeration
  uint8_t Pointers = 0; ///< how many `*` follow
  std::string Spelling; ///< as in a declaration; may be empty
  /// Of an Enumeration, a Record, an Array.
  std::shared_ptr<const Layout> Of = nullptr;
  /// The value is the address of such a thing, and stands for the thing.
  bool IsReference = false;

  static Type integer(unsigned Bits, bool Signed) {
    return {Integer, Signed, static_cast<uint8_t>(Bits), 0, {}};
  }
  static Type floating(unsigned Bits) {
    return {Floating, true, static_cast<uint8_t>(Bits), 0, {}};
  }
  bool isPointer() const { return Pointers; }
  bool isVoid() const { return Base == Void && !Pointers; }
  bool isFloating() const { return Base == Floating && !Pointers; }
  bool isWord() const { return Base == Word && !Pointers; }
  bool isBool() const { return Base == Bool && !Pointers; }
  bool isChar() const { return Base == Char && !Pointers; }
  bool isEnumeration() const { return Base == Enumeration && !Pointers; }
  bool isRecord() const { return Base == Record && !Pointers; }
  bool isArray() const { return Base == Array && !Pointers; }
  bool isOther() const { return Base == Other && !Pointers; }
  /// Whether a register holds the whole value.
  bool isScalar() const { return !isRecord() && !isArray() && !isOther(); }
  unsigned bits() const;
  bool isSigned(const Target &) const;
  /// The type that a pointer points to.
  Type pointee() const;
  Type pointer() const;
  /// What a reference refers to.
  Type referent() const;
  /// The definition, where a record is only declared. Null if there is none.
  const Layout *layout() const;
  /// The size of a thing of this type. 0: it is not known.
  uint64_t bytes() const;
  /// What one step of a pointer to it adds to the address, as in GNU C.
  uint64_t step() const { return bytes() ? bytes() : 1; }
  /// As in C, for messages.
  std::string text() const;
};

/// A part of a Record.
struct Member {
  std::string
      Name; ///< empty: the names of its own members count as the record's
  Type T;
  uint64_t Offset = 0; ///< in bytes
  /// Of a bit-field: its bits, counted from the lowest one at Offset.
  /// BitCount is 0 of others.
  unsigned FirstBit = 0, BitCount = 0;
};

struct Enumerator {
  std::string Name;
  uint64_t Value; ///< with its sign or zeros before its bits
};

/// What a type of several parts consists of.
class Layout {
public:
  /// Without "struct", "class" and so on. Empty: it has no name.
  std::string Name;
  uint64_t Bytes = 0;
  // Of a Record.
  /// At least 8, or what `alignas` asks for, also of members. 0: there may be
  /// an `alignas` that the debug information does not tell.
  uint64_t Alignment = 0;
  bool IsUnion = false;
  /// C++ passes it by its address, because it has a destructor or a copy
  /// constructor of its own.
  bool IsByAddress = false;
  /// It is only declared, and its members are unknown.
  bool IsIncomplete = false;
  /// Of an incomplete record: searches for its definition. May return null.
  std::function<std::shared_ptr<const Layout>()> FindDefinition;
  // Of an Array. Of Other, Bytes is the size of a vector.
  Type Element;
  uint64_t Count = 0; ///< 0: not known
  // Of an Enumeration.
  std::vector<Enumerator> Enumerators;

  /// Reads the members of a Record when they are first asked for: records may
  /// refer to themselves.
  std::function<std::vector<Member>()> Read;
  const std::vector<Member> &members() const {
    if (!Known)
      Known = Read ? Read() : std::vector<Member>();
    return *Known;
  }
  /// A member of this name, also one of an unnamed member or of a base class.
  /// Its offset is that in this record.
  std::optional<Member> find(const std::string &Name, unsigned Depth = 0) const;

  /// The definition, or this.
  const Layout &complete() const {
    if (IsIncomplete && FindDefinition && !HasSearched) {
      HasSearched = true;
      Definition = FindDefinition();
    }
    return Definition ? *Definition : *this;
  }

private:
  mutable std::optional<std::vector<Member>> Known;
  mutable std::shared_ptr<const Layout> Definition;
  mutable bool HasSearched = false;
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
