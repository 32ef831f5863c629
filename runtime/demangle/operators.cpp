// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operators that a name can contain (Itanium C++ ABI, section "Operator
// Encodings").
#include "demangle/operators.h"
#include "demangle/parser.h"

namespace tprt::names {

static constexpr Operator kOperators[] = {
    // In the order of their codes.
    {"aN", Operator::Binary, kAssign, "&="},
    {"aS", Operator::Binary, kAssign, "="},
    {"aa", Operator::Binary, kAndIf, "&&"},
    {"ad", Operator::Prefix, kUnary, "&"},
    {"an", Operator::Binary, kAnd, "&"},
    {"at", Operator::OfType, kUnary, "alignof "},
    {"aw", Operator::NameOnly, kPrimary, " co_await"},
    {"az", Operator::OfExpression, kUnary, "alignof "},
    {"cc", Operator::NamedCast, kPostfixPrec, "const_cast"},
    {"cl", Operator::Call, kPostfixPrec, "()"},
    {"cm", Operator::Binary, kComma, ","},
    {"co", Operator::Prefix, kUnary, "~"},
    {"cv", Operator::Cast, kCastPrec, ""},
    {"dV", Operator::Binary, kAssign, "/="},
    {"da", Operator::Delete, kUnary, " delete[]"},
    {"dc", Operator::NamedCast, kPostfixPrec, "dynamic_cast"},
    {"de", Operator::Prefix, kUnary, "*"},
    {"dl", Operator::Delete, kUnary, " delete"},
    {"ds", Operator::Member, kPtrMem, ".*"},
    {"dt", Operator::Member, kPostfixPrec, "."},
    {"dv", Operator::Binary, kAssign, "/"},
    {"eO", Operator::Binary, kAssign, "^="},
    {"eo", Operator::Binary, kXor, "^"},
    {"eq", Operator::Binary, kEquality, "=="},
    {"ge", Operator::Binary, kRelational, ">="},
    {"gt", Operator::Binary, kRelational, ">"},
    {"ix", Operator::Index, kPostfixPrec, "[]"},
    {"lS", Operator::Binary, kAssign, "<<="},
    {"le", Operator::Binary, kRelational, "<="},
    {"ls", Operator::Binary, kShift, "<<"},
    {"lt", Operator::Binary, kRelational, "<"},
    {"mI", Operator::Binary, kAssign, "-="},
    {"mL", Operator::Binary, kAssign, "*="},
    {"mi", Operator::Binary, kAdditive, "-"},
    {"ml", Operator::Binary, kMultiplicative, "*"},
    {"mm", Operator::Postfix, kPostfixPrec, "--"},
    {"na", Operator::New, kUnary, " new[]"},
    {"ne", Operator::Binary, kEquality, "!="},
    {"ng", Operator::Prefix, kUnary, "-"},
    {"nt", Operator::Prefix, kUnary, "!"},
    {"nw", Operator::New, kUnary, " new"},
    {"oR", Operator::Binary, kAssign, "|="},
    {"oo", Operator::Binary, kOrIf, "||"},
    {"or", Operator::Binary, kIor, "|"},
    {"pL", Operator::Binary, kAssign, "+="},
    {"pl", Operator::Binary, kAdditive, "+"},
    {"pm", Operator::Member, kPtrMem, "->*"},
    {"pp", Operator::Postfix, kPostfixPrec, "++"},
    {"ps", Operator::Prefix, kUnary, "+"},
    {"pt", Operator::Member, kPostfixPrec, "->"},
    {"qu", Operator::Conditional, kConditionalPrec, "?"},
    {"rM", Operator::Binary, kAssign, "%="},
    {"rS", Operator::Binary, kAssign, ">>="},
    {"rc", Operator::NamedCast, kPostfixPrec, "reinterpret_cast"},
    {"rm", Operator::Binary, kMultiplicative, "%"},
    {"rs", Operator::Binary, kShift, ">>"},
    {"sc", Operator::NamedCast, kPostfixPrec, "static_cast"},
    {"ss", Operator::Binary, kSpaceship, "<=>"},
    {"st", Operator::OfType, kUnary, "sizeof "},
    {"sz", Operator::OfExpression, kUnary, "sizeof "},
    {"te", Operator::OfExpression, kPostfixPrec, "typeid "},
    {"ti", Operator::OfType, kPostfixPrec, "typeid "},
};

const Operator *findOperator(char first, char second) {
  for (const Operator &one : kOperators)
    if (one.code[0] == first && one.code[1] == second)
      return &one;
  return nullptr;
}

} // namespace tprt::names
