// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expressions in C, such as 'size >= 4K && str(path) =~ "/etc/*"', as trees.
// A tree is the same for every function. docs/reference/expressions.md
// describes the language.

#ifndef TPCTL_EXPRESSION_H
#define TPCTL_EXPRESSION_H

#include "Lexer.h"
#include <memory>

namespace tpctl::expressions {

enum class Operator : uint8_t {
  None,
  // binary
  Multiply,
  Divide,
  Remainder,
  Add,
  Subtract,
  ShiftLeft,
  ShiftRight,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  Equal,
  NotEqual,
  Matches,
  MatchesNot,
  And,
  Xor,
  Or,
  LogicalAnd,
  LogicalOr,
  // unary
  Plus,
  Minus,
  Complement,
  Not,
  Dereference,
  AddressOf,
};

struct Node {
  enum KindType : uint8_t {
    Number,
    Character, ///< Value is one byte
    String,    ///< Text
    Name,      ///< Text; or the argument of the number Value - 1
    Unary,
    Binary,
    Conditional, ///< Children[0] ? Children[1] : Children[2]
    Cast,        ///< to T, or to the type of the name Text, and Value times `*`
    Index,       ///< Children[0][Children[1]]
    Member,      ///< Children[0].Text
    ArrowMember, ///< Children[0]->Text
    Len,         ///< len(Children[0])
    Str,         ///< str(Children[0], Value); Value 0: no length is given
    Stack,       ///< stack(Value)
    Sym,         ///< sym(Children[0])
    Buf,         ///< buf(Children[0], Children[1])
    Entry,       ///< entry(Children[0])
  };
  KindType Kind = Number;
  Operator Op = Operator::None;
  bool IsTime = false; ///< a Number with a unit of time
  uint64_t Value = 0;
  Type T; ///< of a Number, or of a Cast
  std::string Text;
  Range Place;
  std::unique_ptr<Node> Children[3];
};

/// The names that the language has itself, without arg0, arg1 and so on.
llvm::ArrayRef<llvm::StringLiteral> builtInNames();
/// Whether a name is one of these, or arg0, arg1 and so on.
bool isBuiltInName(llvm::StringRef Name);

/// The name of all arguments of a function, in --print and --values.
constexpr llvm::StringLiteral AllArguments = "args";

/// An expression that was read. Copies share one tree.
class Parsed {
public:
  Parsed(std::shared_ptr<const Source> S, std::shared_ptr<const Node> Root,
         Range Whole)
      : S(std::move(S)), Root(std::move(Root)), Whole(Whole) {}
  const Source &source() const { return *S; }
  const Node &root() const { return *Root; }
  /// As the user wrote it.
  llvm::StringRef text() const {
    return llvm::StringRef(S->Text).slice(Whole.Begin, Whole.End);
  }
  /// Whether it uses a name for which this is true.
  bool usesName(llvm::function_ref<bool(llvm::StringRef)> Is) const;
  /// Whether the expression is a call stack, which is always a whole one.
  bool isStack() const { return Root->Kind == Node::Stack; }
  /// Whether it needs what is known only when the call ends.
  bool needsEnd() const;
  /// Whether its value depends on the types of a function: it names an argument
  /// or a member, or uses the result, which most functions return in a part of
  /// the register.
  bool needsTypes() const;

private:
  std::shared_ptr<const Source> S;
  std::shared_ptr<const Node> Root;
  Range Whole;
};

/// Reads one expression. `Option` is named in errors, which are wrong usage.
llvm::Expected<Parsed> parse(llvm::StringRef Option, llvm::StringRef Text);
/// Reads expressions with commas between them.
llvm::Expected<std::vector<Parsed>> parseList(llvm::StringRef Option,
                                              llvm::StringRef Text);

} // namespace tpctl::expressions

#endif
