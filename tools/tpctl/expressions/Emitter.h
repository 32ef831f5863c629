// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the operations of a program.
//
// Registers are used as a stack. A part of an expression that begins with
// `Next` free leaves its value in that register, or in a kept one, or its value
// is a constant. The kept registers are the highest ones: they have what is
// used more than once.

#ifndef TPCTL_EMITTER_H
#define TPCTL_EMITTER_H

#include "Expression.h"
#include "tprt/control_program.h"
#include <map>
#include <tuple>

namespace tpctl::expressions {

/// The value of a part of an expression, while it is compiled.
struct Operand {
  Type T;
  bool IsConstant = false;
  bool IsTruth = false; ///< 0 or 1
  uint64_t Value = 0;   ///< of a constant
  unsigned Register = 0;
  /// What is still to be added to the register. The type has 64 bits.
  int64_t Addend = 0;
};

/// The code, the number and the type (bits, signed, floating) of what is
/// loaded.
using Loaded = std::tuple<uint8_t, int64_t, unsigned, bool, bool>;

class Emitter {
protected:
  explicit Emitter(const Target &Machine) : Machine(Machine) {}

  static constexpr unsigned MostKept = 6;
  bool isKept(unsigned Register) const { return Register >= limit(); }
  unsigned limit() const { return TPRT_PROGRAM_REGISTERS - Kept; }
  unsigned allocate();
  /// A register for the result of an operation on the operand's.
  unsigned registerFor(const Operand &);
  /// Makes it the value of a register.
  void toRegister(Operand &);
  /// Makes it the value of this register, which becomes the last one in use.
  void moveTo(Operand &, unsigned Register);

  Operand convert(Operand, const Type &);
  /// Extends the value of a register to that of the type: of the type's bits
  /// only the lowest ones are right.
  void extend(Operand &);
  void extendTo(unsigned Register, Operand &);
  /// Whether a double is 0.
  Operand isZero(Operand);
  /// Makes it 0 or 1.
  Operand exact(Operand);
  /// The opposite of a condition. If `Inverted` is not null, the operand may
  /// stay as it is, and `*Inverted` changes.
  Operand invert(Operand, bool *Inverted);
  /// The operands are already of the type that C converts them to. The result
  /// is in the register `Base`.
  Operand operation(unsigned Base, uint8_t Code, Operand Left, Operand Right,
                    const Type &);
  /// Sums and differences of 64 bits, also of pointers.
  Operand sum(unsigned Base, bool IsSubtraction, Operand Left, Operand Right,
              const Type &);
  Operand load(Operand Address, const Type &);
  /// The lower `Count` bits from bit `First` on.
  void cutBits(Operand &, unsigned First, unsigned Count);
  /// An address that is so many bytes further.
  void advance(Operand &Address, uint64_t Bytes);

  /// Returns the operation's place.
  size_t emit(uint8_t Code, unsigned To, unsigned A, unsigned B,
              int32_t Number);
  /// Lets a jump lead to the next operation.
  void endJump(size_t Jump);
  /// The place of a string in the text of constants.
  int32_t textAt(llvm::StringRef String, Range Place);
  /// Keeps the first error.
  void fail(Range, const llvm::Twine &Message);

  const Target &Machine;
  const Source *S = nullptr;
  Range Current; ///< what is being compiled, for errors about limits
  std::vector<tprt_program_operation> Operations;
  std::string Text, Failure;
  unsigned Next = 0, Kept = 0;
  std::map<Loaded, unsigned> KeptIn;

private:
  void constant(unsigned Register, uint64_t Value);
  Operand convertFloating(Operand, const Type &);
  Operand single(Operand);
  uint64_t fold(uint8_t Code, uint64_t L, uint64_t R, const Type &) const;

  unsigned Reads = 0;
};

} // namespace tpctl::expressions

#endif
