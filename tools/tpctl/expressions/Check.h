// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds out what each part of an expression is for one function: types, and
// what names stand for.

#ifndef TPCTL_CHECK_H
#define TPCTL_CHECK_H

#include "Locations.h"
#include "Program.h"
#include "llvm/ADT/DenseMap.h"

namespace tpctl::expressions {

/// What one node is.
struct Meaning {
  enum KindType : uint8_t {
    Value,
    Text,     ///< str(), or a string
    Function, ///< only a key
    Symbol,   ///< only a key: sym()
    Bytes,    ///< only a key: buf()
    Process,  ///< only a key
    Stack,    ///< only a key or a value
  };
  /// How a Value is found.
  enum FormType : uint8_t {
    Computed, ///< by an operator, or by the operation Code
    InMemory, ///< at an address
    InPieces, ///< in registers and words of the stack, from Offset on
    Constant, ///< it is Number
  };
  KindType Kind = Value;
  FormType Form = Computed;
  Type T;              ///< of a Value
  bool IsTime = false; ///< in nanoseconds
  bool IsLine = false; ///< only a key: the address of a line of source code
  /// For a name: an operation of enum tprt_program_code that loads it, and the
  /// operation's number. InMemory: of a name, it loads the address; without
  /// Code, Number is the address.
  uint8_t Code = 0;
  int64_t Number = 0;
  /// InPieces. The location belongs to the checker.
  const Location *Where = nullptr;
  uint64_t Offset = 0; ///< of a name with Code: is added to what that loads
  /// Of a bit-field: see Member.
  unsigned FirstBit = 0, BitCount = 0;
  /// An array, whose value is the address of its first element: its bytes, or 0
  /// if that is not known.
  bool IsArray = false;
  uint64_t ArrayBytes = 0;
  Type Array; ///< its own type
  /// Of a variable whose type is not known: why.
  std::string WhyUntyped = "";
  /// InMemory: the address is itself in memory, as that of a reference.
  bool IsIndirect = false;
  /// InMemory, of a name with Code: see Location.
  std::optional<unsigned> Index;
  unsigned Scale = 1;
  /// Of a C++ string and of len(): where the two parts are in the object. Of a
  /// vector they are the addresses of the first element and of the end.
  struct StringParts {
    Member Address, Length;
    bool HasNul = false; ///< there is a NUL at the end of the text
    /// libc++'s std::string has a short text in itself, unless a bit says that
    /// the two parts above hold.
    struct Inside {
      Member IsLong, Length; ///< bits of one byte each
      uint64_t Text;         ///< the offset of the first character
    };
    std::optional<Inside> Short;
  };
  std::optional<StringParts> Parts;
};

/// A computed value of this type.
inline Meaning valueOf(Type T) {
  Meaning M;
  M.T = std::move(T);
  return M;
}

/// Whether it is an array of characters, which counts as a text.
bool isCharArray(const Meaning &);
/// Where a std::vector's elements begin and end.
std::optional<Meaning::StringParts> vectorParts(const Type &);
/// The names that may follow a dot, those of base classes too.
llvm::SmallVector<llvm::StringRef> memberNames(const Layout &);
/// What to write for a number of a class, for messages. `Text`: the object.
std::string instead(const Type &, llvm::StringRef Text);
/// A type of this size, for messages.
llvm::StringRef typeOfBits(unsigned Bits);

class Checker {
public:
  Checker(const Signature *Function, const Target &Machine);
  /// What an option needs.
  enum class Need : uint8_t { Condition, Key, Shown, Number, PairKey };
  /// Returns the first error as wrong usage.
  llvm::Error check(const Parsed &, Need);
  const Meaning &operator[](const Node &N) const {
    return Meanings.find(&N)->second;
  }

private:
  std::optional<Meaning> meaningOf(const Node &);
  std::optional<Meaning> name(const Node &);
  std::optional<Meaning> named(const Node &);
  std::optional<Meaning> allArguments(const Node &);
  std::optional<Meaning> result(const Node &);
  std::optional<Meaning> located(const Node &, const Type &, const Location &);
  std::optional<Meaning> ofScope(const Node &, const Scope &);
  /// A name with a module.
  std::optional<Meaning> ofModule(const Node &);
  /// At an instruction or a point.
  std::optional<Meaning> namedInside(const Node &);
  std::optional<Meaning> ofPoint(const Node &);
  std::optional<Meaning> unknownInside(const Node &);
  std::optional<Meaning> ofRegister(const Node &);
  std::optional<Meaning> unknownName(const Node &);
  /// The name "line" that is more than an argument's, if there is one.
  const Node *lineIn(const Node &) const;
  std::optional<Meaning> cast(const Node &);
  std::optional<Meaning> member(const Node &);
  std::optional<Meaning> addressOf(const Node &);
  std::optional<Meaning> len(const Node &);
  /// Follows a reference, and lets an array be the address of its elements.
  std::optional<Meaning> settled(const Node &, Meaning);
  std::string noMember(const Node &, const Type &) const;
  std::optional<Meaning> unary(const Node &);
  std::optional<Meaning> binary(const Node &);
  std::optional<Meaning> arithmetic(const Node &, const Meaning &Left,
                                    const Meaning &Right);
  std::optional<Meaning> floating(const Node &, const Meaning &Left,
                                  const Meaning &Right);
  std::optional<Meaning> textTest(const Node &);
  std::optional<Meaning> conditional(const Node &);
  std::optional<Meaning> index(const Node &);
  std::optional<Meaning> str(const Node &);
  std::optional<Meaning> sym(const Node &);
  std::optional<Meaning> buf(const Node &);
  std::optional<Meaning> entry(const Node &);
  const Node *lateIn(const Node &) const;
  bool isAddress(const Node &, const Meaning &, llvm::StringRef For);
  std::optional<Meaning> pointedTo(const Node &Pointer, const Meaning &);
  /// Checks a child that has to be a number or an address.
  std::optional<Meaning> value(const Node &, llvm::StringRef For);
  llvm::StringRef textOf(const Node &) const;
  /// Its text, in parentheses if a cast would otherwise apply to a part.
  std::string castable(const Node &) const;
  std::nullopt_t fail(Range, const llvm::Twine &Message);

  const Signature *Function;
  const Target &Machine;
  std::vector<Location> Arguments;
  Location Result;
  const Source *S = nullptr;
  llvm::DenseMap<const Node *, Meaning> Meanings;
  std::string Failure;
};

} // namespace tpctl::expressions

#endif
