// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From expressions to a program that libtprt runs at each hit
// (tprt/control_program.h).

#ifndef TPCTL_PROGRAM_H
#define TPCTL_PROGRAM_H

#include "Declarations.h"
#include "Expression.h"
#include "llvm/Support/raw_ostream.h"

namespace tpctl::expressions {

/// One of the two calls of a pair: those with equal keys belong together.
struct PairOfCalls {
  Parsed Key;
  bool Starts = false; ///< otherwise the call ends the pair
  bool IsOpen = false; ///< what counts are the pairs that have not ended
};

/// What a user asks about each call.
struct Asked {
  std::optional<Parsed> If;  ///< whether the call counts
  std::vector<Parsed> By;    ///< the keys of its row
  std::vector<Parsed> Print; ///< the values that are recorded with the call
  std::optional<Parsed> Of;  ///< the value that is added to the row
  bool Histogram = false;    ///< rows have histograms of the values
  bool Self = false;         ///< rows have the calls' own times
  /// Only calls inside of calls of other functions, which are another group
  /// (TPRT_CONTROL_ACTION_SCOPE). That of `depth` comes before it.
  bool IsInside = false;
  std::optional<Parsed> StopIf; ///< whether the call is the last that counts
  uint32_t Hits = 0;            ///< so many calls count; 0: all

  /// Whether this is true of one of the expressions.
  bool any(llvm::function_ref<bool(const Parsed &)> Is) const;
  /// Whether one of them uses the name `depth`.
  bool usesDepth() const;
  /// Whether one of them has a variable of another module, as in libc!environ.
  bool namesModules() const;
  /// With Histogram, the value of a call that ends a pair is the time since its
  /// start.
  std::optional<PairOfCalls> Pair = {};
};

/// How a key is printed.
struct KeyFormat {
  enum KindType : uint8_t {
    Hex, ///< a word whose type is unknown
    Signed,
    Unsigned,
    Floating,
    Bool,
    Character,
    Address, ///< a pointer
    Text,
    Bytes,  ///< of buf()
    Time,   ///< in nanoseconds
    Code,   ///< an address to which a call returns
    Symbol, ///< an address of code or data, shown by its symbol
    Line,   ///< the same, shown as a line of source code
    Function,
    Thread,
    Process, ///< is not in the program: the tool adds it
    Stack,   ///< addresses to which calls return
  };
  KindType Kind = Hex;
  unsigned Bits = 64;  ///< of a Signed or an Unsigned
  std::string Heading; ///< the expression, as the user wrote it
  /// Of a Signed or an Unsigned: the values that have names. May be null.
  std::shared_ptr<const Layout> Names = nullptr;
};

enum class ValueFormat : uint8_t { Number, Time, Floating };

struct Program {
  /// The head, the operations and the text of constants.
  std::string Bytes;
  /// Whether it runs when a call ends.
  bool AtEnd = false;
  /// In the order of Asked::By and Asked::Print.
  std::vector<KeyFormat> Keys;
  ValueFormat Value = ValueFormat::Number;
  /// Whether the value has 64 bits without a sign. libtprt adds up signed
  /// numbers.
  bool IsUnsigned = false;
  /// Which values of `args` it does not have, and why. May be empty.
  std::string LeftOut;
};

/// Compiles for a function. Without its signature, the arguments have no names
/// but arg0, arg1, and so on. Errors are wrong usage.
llvm::Expected<Program> compile(const Asked &, const Signature *,
                                const Target & = Target::host());

/// Replaces `args` among the values that are printed by the arguments of the
/// function. Of more than there may be, the first ones are taken. `LeftOut`
/// becomes Program::LeftOut.
Asked expandArguments(const Asked &, const Signature &, const Target &,
                      std::string &LeftOut);

/// Prints one line for each operation.
void describe(llvm::raw_ostream &, const Program &);

} // namespace tpctl::expressions

#endif
