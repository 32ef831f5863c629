// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The value `args`: all arguments of a function, each by its name and its type.

#include "Check.h"
#include "tprt/control_program.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tpctl::expressions {
namespace {

bool isAllArguments(const Parsed &P, const Signature &Of) {
  const Node &Root = P.root();
  return Root.Kind == Node::Name && !Root.Value && Root.Text == AllArguments &&
         Of.WhyUnknown.empty() &&
         none_of(Of.Arguments,
                 [](const ArgumentType &A) { return A.Name == AllArguments; });
}

/// Whether an argument is a string. A function that a prototype declares may
/// fill the memory at a `char *`.
bool isString(const ArgumentType &A, const Signature &Of) {
  return A.T.isPointer() && !A.T.IsReference && A.T.pointee().isChar() &&
         (!Of.IsPrototype || StringRef(A.T.Spelling).contains("const"));
}

std::unique_ptr<Node> make(Node::KindType Kind, Range Place) {
  auto N = std::make_unique<Node>();
  N->Kind = Kind;
  N->Place = Place;
  return N;
}

/// An argument as an expression: a string, a value, or the address of what a
/// reference refers to.
Parsed argument(const Source &From, const Signature &Of, size_t Number,
                Node::KindType Around) {
  const ArgumentType &A = Of.Arguments[Number];
  auto S = std::make_shared<Source>(From);
  S->Text = A.Name.empty() ? "arg" + std::to_string(Number) : A.Name;
  const Range Whole{0, S->Text.size(), 0};
  auto Root = make(Node::Name, Whole);
  Root->Text = S->Text;
  Root->Value = Number + 1;
  if (Around != Node::Name) {
    auto Outer = make(Around, Whole);
    if (Around == Node::Unary)
      Outer->Op = Operator::AddressOf;
    Outer->Children[0] = std::move(Root);
    Root = std::move(Outer);
  }
  return Parsed(std::move(S), std::move(Root), Whole);
}

/// Appends the argument, if it can be read.
bool add(std::vector<Parsed> &To, const Source &From, const Signature &Of,
         size_t Number, Checker &Check) {
  SmallVector<Node::KindType> Ways;
  if (isString(Of.Arguments[Number], Of))
    Ways.push_back(Node::Str);
  Ways.append({Node::Name, Node::Unary});
  for (Node::KindType Way : Ways) {
    Parsed P = argument(From, Of, Number, Way);
    if (Error E = Check.check(P, Checker::Need::Shown)) {
      consumeError(std::move(E));
      continue;
    }
    To.push_back(std::move(P));
    return true;
  }
  return false;
}

} // namespace

Asked expandArguments(const Asked &A, const Signature &Of,
                      const Target &Machine, std::string &LeftOut) {
  Asked Result = A;
  Result.Print.clear();
  std::string Many, Unreadable;
  auto leaveOut = [](std::string &From, const Parsed &What) {
    From += (From.empty() ? "" : ", ") + What.text().str();
  };
  for (const auto &[I, P] : enumerate(A.Print)) {
    if (!isAllArguments(P, Of)) {
      Result.Print.push_back(P);
      continue;
    }
    Checker Check(&Of, Machine);
    const size_t After = A.Print.size() - I - 1;
    const size_t Count = Of.ArgumentsOfProbe.value_or(Of.Arguments.size());
    for (size_t Number = 0; Number < Count; ++Number) {
      const Parsed Plain = argument(P.source(), Of, Number, Node::Name);
      if (Result.Print.size() + After >= TPRT_PROGRAM_MOST_VALUES)
        leaveOut(Many, Plain);
      else if (!add(Result.Print, P.source(), Of, Number, Check))
        leaveOut(Unreadable, Plain);
    }
  }
  if (!Many.empty())
    LeftOut = Many + " (at most " + std::to_string(TPRT_PROGRAM_MOST_VALUES) +
              " values are possible)";
  if (!Unreadable.empty())
    LeftOut += (LeftOut.empty() ? "" : ", ") + Unreadable +
               " (no number, address or text that can be read)";
  return Result;
}

} // namespace tpctl::expressions
