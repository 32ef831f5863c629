// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of Parser that read what looks like a call: str(ADDRESS) and so on.

#include "Parser.h"

#include "tprt/control_program.h"

using namespace llvm;

namespace tpctl::expressions {

std::unique_ptr<Node> Parser::ofOne(Node::KindType Kind, const Token &Name) {
  Token Open = next();
  ++At;
  auto Child = conditional();
  if (!Child || !close(")", Open))
    return nullptr;
  auto Result = make(Kind, {Name.Begin, last().end(), Name.Begin});
  Result->Children[0] = std::move(Child);
  return Result;
}

std::unique_ptr<Node> Parser::str(const Token &Name) {
  Token Open = next();
  ++At;
  auto Child = conditional();
  if (!Child)
    return nullptr;
  uint64_t Length = 0;
  if (skip(",")) {
    Token T = next();
    if (T.Kind != Token::Number || !T.Value ||
        T.Value > TPRT_PROGRAM_MOST_STRING)
      return fail(T.range(), "the length of str() is a number from 1 to " +
                                 Twine(TPRT_PROGRAM_MOST_STRING));
    Length = T.Value;
    ++At;
  }
  if (!close(")", Open))
    return nullptr;
  auto Result = make(Node::Str, {Name.Begin, last().end(), Name.Begin});
  Result->Value = Length;
  Result->Children[0] = std::move(Child);
  return Result;
}

/// stack() has as many frames as are usually enough to see what is going on.
std::unique_ptr<Node> Parser::stack(const Token &Name) {
  constexpr uint64_t Usual = 16;
  Token Open = next();
  ++At;
  uint64_t Frames = Usual;
  if (!next().is(")")) {
    Token T = next();
    bool IsRight = T.Kind == Token::Number && !T.IsTime && !T.T.isFloating() &&
                   T.Value && T.Value <= TPRT_PROGRAM_MOST_FRAMES;
    if (!IsRight)
      return fail(T.range(), "stack() takes a number of frames from 1 to " +
                                 Twine(TPRT_PROGRAM_MOST_FRAMES) +
                                 ", as in stack(8)");
    Frames = T.Value;
    ++At;
  }
  if (!close(")", Open))
    return nullptr;
  auto Result = make(Node::Stack, {Name.Begin, last().end(), Name.Begin});
  Result->Value = Frames;
  return Result;
}

std::unique_ptr<Node> Parser::buf(const Token &Name) {
  Token Open = next();
  ++At;
  auto Address = conditional();
  if (!Address)
    return nullptr;
  if (!skip(","))
    return fail(next().range(), "the number of bytes is missing, as in "
                                "buf(arg1, arg2)");
  auto Bytes = conditional();
  if (!Bytes || !close(")", Open))
    return nullptr;
  auto Result = make(Node::Buf, {Name.Begin, last().end(), Name.Begin});
  Result->Children[0] = std::move(Address);
  Result->Children[1] = std::move(Bytes);
  return Result;
}

} // namespace tpctl::expressions
