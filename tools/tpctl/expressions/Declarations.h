// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declarations of functions, and how they are read from text.

#ifndef TPCTL_DECLARATIONS_H
#define TPCTL_DECLARATIONS_H

#include "Lexer.h"
#include <optional>

namespace tpctl::expressions {

/// Where an argument or a result is when the program runs.
struct Location {
  /// A part of the value: what an operation of enum tprt_program_code loads.
  struct Piece {
    uint8_t Code = 0;
    int32_t Number = 0;  ///< the operation's
    uint64_t Offset = 0; ///< in the value, in bytes
    uint64_t Bytes = 8;
  };
  std::vector<Piece> Pieces; ///< empty: it cannot be read
  bool IsAddress = false;    ///< the only piece is the address of the value
  // At single instructions.
  int64_t Addend = 0;      ///< is added to what the only piece loads
  bool IsIndirect = false; ///< the address is itself at that address
  bool IsConstant = false; ///< no piece: Addend is the value or its address
  /// A general register that is added to an address, and what it is multiplied
  /// by.
  std::optional<unsigned> Index;
  unsigned Scale = 1;
  std::string Why; ///< why it cannot be read, after "and"
};

struct ArgumentType {
  std::string Name;
  Type T;
  /// As debug information tells. Otherwise the calling convention does.
  std::optional<Location> Where = {};
};

/// Finds what an expression names, other than arguments.
class Scope {
public:
  struct Global {
    Type T;
    uint64_t Address; ///< in the process
    /// Why the type is Type::Other, if it is not known.
    std::string WhyUntyped = "";
  };
  virtual ~Scope() = default;
  /// Without "struct", "class" and so on.
  virtual std::optional<Type> findType(llvm::StringRef Name) const = 0;
  virtual std::optional<Global> findGlobal(llvm::StringRef Name) const = 0;
  /// An enumerator, with its enumeration.
  virtual std::optional<std::pair<Type, uint64_t>>
  findConstant(llvm::StringRef Name) const = 0;
  /// Why a variable that is there cannot be read; "" if there is none.
  virtual std::string whyNoGlobal(llvm::StringRef) const { return ""; }
  /// Whether the name is not found because it has several meanings.
  virtual bool isAmbiguous(llvm::StringRef) const { return false; }
};

/// Where programs run.
enum class Site : uint8_t { Call, Instruction, Point };

/// What is known about a function's arguments and result, or at another site:
/// about the variables that an instruction sees, the innermost ones first, or
/// about the arguments of a point. These have a location each.
struct Signature {
  Site At = Site::Call;
  std::string Function; ///< or the instruction's place, or the point's name
  std::vector<ArgumentType> Arguments;
  std::optional<Type> Result; ///< if it is known
  /// If the calling convention does not tell where the result is.
  std::optional<Location> ResultWhere = {};
  bool IsVoid = false; ///< there is no result
  bool IsVariadic = false;
  /// Only the first ones are what `args` means, and others are variables.
  std::optional<size_t> ArgumentsOfProbe = {};
  bool IsPrototype = false;           ///< read by parseDeclaration()
  std::shared_ptr<const Scope> Names; ///< null: none are known
  /// Names with a module, as in libc!environ. Null: there is no process.
  std::shared_ptr<const Scope> Modules = nullptr;
  /// If nothing is known about the function: why, and what would help.
  std::string WhyUnknown;
};

/// As in malloc(size_t size).
std::string text(const Signature &);

/// Whether a type begins with this name.
bool beginsType(llvm::StringRef Name);
/// Reads a type at `At` and moves `At` behind it.
llvm::Expected<Type> parseType(const Source &, llvm::ArrayRef<Token>,
                               size_t &At);
/// Reads a declaration such as "void *malloc(size_t size)".
llvm::Expected<Signature> parseDeclaration(llvm::StringRef);

} // namespace tpctl::expressions

#endif
