// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See TypedValues.h.

#include "TypedValues.h"

#include "expressions/Locations.h"
#include "expressions/Prototypes.h"
#include "tprt/control_program.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace tpctl {

using expressions::ArgumentType;
using expressions::findPrototypeOfSymbol;
using expressions::Signature;
using expressions::Type;

namespace {

bool isRegister(const Value &V) {
  return V.Form == TPRT_TRACE_FORM_SIGNED || V.Form == TPRT_TRACE_FORM_ADDRESS;
}

uint32_t kindOf(const Type &T, const expressions::Target &Machine) {
  if (T.isPointer())
    return TPRT_TRACE_VALUE_ADDRESS;
  if (T.isWord())
    return TPRT_TRACE_VALUE_HEX;
  if (T.isBool())
    return TPRT_TRACE_VALUE_BOOL;
  if (T.isChar())
    return TPRT_TRACE_VALUE_CHARACTER;
  return T.isSigned(Machine) ? TPRT_TRACE_VALUE_SIGNED
                             : TPRT_TRACE_VALUE_UNSIGNED;
}

std::string typed(const Type &T, const Value &V) {
  if (T.isFloating()) // it is in another register
    return "?";
  if (!isRegister(V))
    return textOf(V);
  const auto Machine = expressions::Target::host();
  return textOf(kindOf(T, Machine), expressions::normal(V.Word, T, Machine));
}

std::string untyped(const Value &V) {
  return isRegister(V) ? textOf(TPRT_TRACE_VALUE_HEX, V.Word) : textOf(V);
}

} // namespace

std::string TypedValues::arguments(const tp::trace::Function &F,
                                   ArrayRef<Value> Values) const {
  std::string Text;
  ListSeparator Comma;
  auto add = [&](StringRef Name, const std::string &Value) {
    Text += (StringRef(Comma) + Name + "=" + Value).str();
  };
  const Signature *Known = findPrototypeOfSymbol(F.Linked);
  if (!Known) {
    for (const auto &[I, V] : enumerate(Values))
      add("arg" + std::to_string(I), untyped(V));
    return Text;
  }
  const auto Places =
      expressions::locateArguments(*Known, expressions::Target::host());
  for (const auto &[I, A] : enumerate(Known->Arguments)) {
    // Prototypes have no structures: each argument is in one place.
    const expressions::Location::Piece &At = Places[I].Pieces.front();
    const bool IsRegister = At.Code == TPRT_PROGRAM_ARGUMENT;
    const auto Number = static_cast<size_t>(At.Number);
    if (IsRegister && Number >= Values.size())
      break;
    add(A.Name.empty() ? "arg" + std::to_string(I) : A.Name,
        IsRegister ? typed(A.T, Values[Number]) : "?");
  }
  return Text;
}

std::string TypedValues::result(const tp::trace::Function &F,
                                const Value &V) const {
  const Signature *Known = findPrototypeOfSymbol(F.Linked);
  if (Known && Known->IsVoid)
    return "";
  return Known && Known->Result ? typed(*Known->Result, V) : untyped(V);
}

} // namespace tpctl
