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
  if (T.isPointer() || T.IsReference)
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
  // Others are in another register, or in several.
  if (!T.IsReference && (T.isFloating() || !T.isScalar()))
    return "?";
  if (!isRegister(V))
    return textOf(V);
  const auto Machine = expressions::Target::host();
  const uint64_t Word = expressions::normal(V.Word, T, Machine);
  if (T.isEnumeration() && T.Of)
    for (const expressions::Enumerator &Each : T.Of->Enumerators)
      if (Each.Value == Word)
        return Each.Name;
  return textOf(kindOf(T, Machine), Word);
}

std::string untyped(const Value &V) {
  return isRegister(V) ? textOf(TPRT_TRACE_VALUE_HEX, V.Word) : textOf(V);
}

} // namespace

const Signature *TypedValues::signatureOf(const tp::trace::Function &F) const {
  if (!Files || F.ModulePath.empty())
    return findPrototypeOfSymbol(F.Linked);
  auto [At, New] = Known.try_emplace({F.ModulePath, F.Address});
  if (New)
    At->second = Types.signatureOf(
        {Files(F.ModulePath), F.ModulePath, F.Address}, F.Linked, F.Name);
  return At->second.WhyUnknown.empty() ? &At->second : nullptr;
}

std::string TypedValues::arguments(const tp::trace::Function &F,
                                   ArrayRef<Value> Values) const {
  std::string Text;
  ListSeparator Comma;
  auto add = [&](StringRef Name, const std::string &Value) {
    Text += (StringRef(Comma) + Name + "=" + Value).str();
  };
  const Signature *Of = signatureOf(F);
  if (!Of) {
    for (const auto &[I, V] : enumerate(Values))
      add("arg" + std::to_string(I), untyped(V));
    return Text;
  }
  const auto Places =
      expressions::locateArguments(*Of, expressions::Target::host());
  for (const auto &[I, A] : enumerate(Of->Arguments)) {
    const auto &Where = A.Where ? *A.Where : Places[I];
    const bool IsRegister = Where.Pieces.size() == 1 && !Where.IsAddress &&
                            Where.Pieces.front().Code == TPRT_PROGRAM_ARGUMENT;
    const auto Number =
        IsRegister ? static_cast<size_t>(Where.Pieces.front().Number) : 0;
    if (IsRegister && Number >= Values.size())
      break;
    add(A.Name.empty() ? "arg" + std::to_string(I) : A.Name,
        IsRegister ? typed(A.T, Values[Number]) : "?");
  }
  return Text;
}

std::string TypedValues::result(const tp::trace::Function &F,
                                const Value &V) const {
  const Signature *Of = signatureOf(F);
  if (Of && Of->IsVoid)
    return "";
  if (!Of || !Of->Result)
    return untyped(V);
  // The compiler may have left the result out.
  const auto Where =
      Of->ResultWhere ? *Of->ResultWhere
                      : locateResult(*Of->Result, expressions::Target::host());
  const bool IsThere = Where.Pieces.size() == 1 && !Where.IsAddress &&
                       Where.Pieces.front().Code == TPRT_PROGRAM_RESULT;
  return IsThere ? typed(*Of->Result, V) : "?";
}

} // namespace tpctl
