// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads an expression from its tokens. It descends by precedence.

#ifndef TPCTL_PARSER_H
#define TPCTL_PARSER_H

#include "Expression.h"
#include "shared/UsageError.h"

namespace tpctl::expressions {

class Parser {
public:
  Parser(const Source &S, llvm::ArrayRef<Token> Tokens)
      : S(S), Tokens(Tokens) {}

  /// A null pointer means that there is an error.
  std::unique_ptr<Node> expression() { return conditional(); }
  const Token &next() const { return Tokens[At]; }
  const Token &last() const { return Tokens[At ? At - 1 : 0]; }
  bool skip(llvm::StringRef Operator) {
    bool Is = next().is(Operator);
    At += Is;
    return Is;
  }
  std::unique_ptr<Node> fail(Range R, const llvm::Twine &Message) {
    if (Failure.empty())
      Failure = messageAt(S, R, Message);
    return nullptr;
  }
  /// Says what is wrong about a token after an expression.
  void failAfter();
  llvm::Error error() const { return wrongUsage(Failure); }

private:
  std::unique_ptr<Node> conditional();
  std::unique_ptr<Node> binary(unsigned Least);
  std::unique_ptr<Node> unary();
  std::unique_ptr<Node> postfix();
  std::unique_ptr<Node> primary();
  std::unique_ptr<Node> cast(const Token &Open);
  bool isNamedCast() const;
  std::unique_ptr<Node> namedCast(const Token &Open);
  std::unique_ptr<Node> index(std::unique_ptr<Node> Of);
  std::unique_ptr<Node> member(std::unique_ptr<Node> Of);
  /// The rest of NAME(EXPR), as a node of this kind.
  std::unique_ptr<Node> ofOne(Node::KindType, const Token &Name);
  std::unique_ptr<Node> str(const Token &Name);
  std::unique_ptr<Node> stack(const Token &Name);
  std::unique_ptr<Node> buf(const Token &Name);
  bool close(llvm::StringRef Operator, const Token &Open);
  static std::unique_ptr<Node> make(Node::KindType Kind, Range R) {
    auto Result = std::make_unique<Node>();
    Result->Kind = Kind;
    Result->Place = R;
    return Result;
  }

  const Source &S;
  llvm::ArrayRef<Token> Tokens;
  size_t At = 0;
  unsigned Depth = 0;
  std::string Failure; ///< the first error
};

} // namespace tpctl::expressions

#endif
