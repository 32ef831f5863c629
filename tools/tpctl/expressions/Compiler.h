// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a tree to the operations of a program; see Compile.cpp.

#ifndef TPCTL_COMPILER_H
#define TPCTL_COMPILER_H

#include "Check.h"
#include "Emitter.h"

namespace tpctl::expressions {

class Compiler : Emitter {
public:
  Compiler(const Asked &A, const Signature *Function, const Target &Machine)
      : Emitter(Machine), A(A), Meanings(Function, Machine),
        IsCall(!Function || Function->At == Site::Call) {}
  llvm::Expected<Program> run();

private:
  llvm::Error check();
  llvm::Error checkFrames() const;
  bool needsEnd(const Parsed &) const;
  void filter(const Node &, bool Negated);
  void key(const Parsed &);
  void value(const Parsed &);
  void inside();
  void stops();
  void pair(const PairOfCalls &);
  KeyFormat formatOf(const Parsed &) const;

  Operand gen(const Node &);
  Operand name(const Node &);
  Operand loaded(uint8_t Code, int64_t Number, const Type &);
  Operand inPieces(const Node &);
  Operand inMemory(const Node &);
  Operand indexed(const Meaning &);
  Operand address(const Node &);
  Operand partInPieces(const Node &, const Member &);
  Operand partInMemory(const Node &, const Member &);
  Operand eitherPart(const Node &, const Meaning::StringParts &, bool IsLength);
  Operand parts(const Node &, const Meaning::StringParts &, Operand *Length);
  unsigned text(const Node &);
  Operand length(const Node &);
  Operand arithmetic(const Node &);
  Operand conditional(const Node &);
  Operand negative(unsigned Base, Operand);
  /// A value that is not 0 if, and only if, the node is true; if `Negated`: is
  /// false. If `Inverted` is not null, the operand may be the opposite, and
  /// `*Inverted` says so. If `Exact`, the value is 0 or 1.
  Operand truth(const Node &, bool Negated, bool *Inverted, bool Exact);
  Operand comparison(const Node &, bool Negated, bool *Inverted, bool Exact);
  Operand floatingComparison(Operator, unsigned Base, Operand Left,
                             Operand Right, bool Negated, bool *Inverted);
  Operand textTest(const Node &, bool Negated, bool *Inverted);
  Operand logical(const Node &, bool Negated, bool Exact);
  bool isTextTest(const Node &) const;
  void countNames(const Node &);
  void keepValues(const Parsed &);
  void keepValues(const Node &);

  const Asked &A;
  Checker Meanings;
  std::map<const Node *, unsigned> EntryValues; ///< entry(), and its number
  bool IsCall;
  std::map<Loaded, unsigned> Uses; ///< how often an expression names it
};

/// The operation for an operator and integers.
uint8_t codeOf(Operator Op, bool IsSigned);
/// The operation for an operator and doubles. The sides of > and >= are
/// exchanged, and != is the opposite of ==.
uint8_t codeOfFloating(Operator Op);
/// What an operation loads, and how it is extended.
Loaded loadedBy(uint8_t Code, int64_t Number, const Type &T,
                const Target &Machine);
/// The type of a register as it is.
inline Type whole() { return Type::integer(64, false); }
/// The piece that has the value of a scalar in pieces, or null.
const Location::Piece *pieceOf(const Meaning &M);

} // namespace tpctl::expressions

#endif
