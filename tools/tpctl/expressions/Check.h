// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds out what each part of an expression is for one function: types, and
// what names stand for.

#ifndef TPCTL_CHECK_H
#define TPCTL_CHECK_H

#include "Program.h"
#include "llvm/ADT/DenseMap.h"

namespace tpctl::expressions {

/// What one node is.
struct Meaning {
  enum KindType : uint8_t {
    Value,
    Text,     ///< str(), or a string
    Function, ///< only a key
    Process,  ///< only a key
  };
  KindType Kind = Value;
  Type T;              ///< of a Value
  bool IsTime = false; ///< in nanoseconds
  /// For a name: an operation of enum tprt_program_code that loads it, and the
  /// operation's number.
  uint8_t Code = 0;
  int32_t Number = 0;
};

class Checker {
public:
  Checker(const Signature *Function, const Target &Machine)
      : Function(Function), Machine(Machine) {}
  /// What an option needs.
  enum class Need : uint8_t { Condition, Key, Number };
  /// Returns the first error as wrong usage.
  llvm::Error check(const Parsed &, Need);
  const Meaning &operator[](const Node &N) const {
    return Meanings.find(&N)->second;
  }

private:
  std::optional<Meaning> meaningOf(const Node &);
  std::optional<Meaning> name(const Node &);
  std::optional<Meaning> unknownName(const Node &);
  std::optional<Meaning> unary(const Node &);
  std::optional<Meaning> binary(const Node &);
  std::optional<Meaning> arithmetic(const Node &, const Meaning &Left,
                                    const Meaning &Right);
  std::optional<Meaning> textTest(const Node &);
  std::optional<Meaning> conditional(const Node &);
  std::optional<Meaning> index(const Node &);
  std::optional<Meaning> str(const Node &);
  std::optional<Meaning> pointedTo(const Node &Pointer, const Meaning &);
  /// Checks a child that has to be a number or an address.
  std::optional<Meaning> value(const Node &, llvm::StringRef For);
  llvm::StringRef textOf(const Node &) const;
  /// Its text, in parentheses if a cast would otherwise apply to a part.
  std::string castable(const Node &) const;
  std::nullopt_t fail(Range, const llvm::Twine &Message);

  const Signature *Function;
  const Target &Machine;
  const Source *S = nullptr;
  llvm::DenseMap<const Node *, Meaning> Meanings;
  std::string Failure;
};

} // namespace tpctl::expressions

#endif
