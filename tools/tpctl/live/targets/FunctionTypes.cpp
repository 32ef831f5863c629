// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See FunctionTypes.h.

#include "FunctionTypes.h"

#include "ModuleNames.h"
#include "expressions/PointArguments.h"
#include "expressions/Prototypes.h"
#include "usdt/Arguments.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;

namespace tpctl {

types::Binary &FunctionTypes::binaryOf(const Place &Of) {
  types::Binary *&Found = Known[Of.Path];
  if (Found)
    return *Found;
  sys::fs::file_status Status;
  sys::fs::status(Of.Path, Status);
  auto Id = Status.getUniqueID();
  Found = &Files.try_emplace({Id.getDevice(), Id.getFile()}, Of.Path, Of.Module)
               .first->second;
  return *Found;
}

/// Whether two types look the same in a register.
static bool isLike(const expressions::Type &Read,
                   const expressions::Type &Known) {
  auto isInteger = [](const expressions::Type &T) {
    return T.IsReference || (T.isScalar() && !T.isFloating() && !T.isVoid());
  };
  if (isInteger(Read) && isInteger(Known))
    return Read.bits() == Known.bits();
  return Read.isFloating() && Known.isFloating() && Read.bits() == Known.bits();
}

/// Whether a function may be the one that a prototype declares.
static bool isLike(const expressions::Signature &Read,
                   const expressions::Signature &Known) {
  if (Read.Result.has_value() != Known.Result.has_value() ||
      (Read.Result && !isLike(*Read.Result, *Known.Result)) ||
      Read.Arguments.size() != Known.Arguments.size())
    return false;
  for (size_t I = 0; I < Read.Arguments.size(); ++I)
    if (Read.Arguments[I].Where ||
        !isLike(Read.Arguments[I].T, Known.Arguments[I].T))
      return false;
  return true;
}

expressions::Signature FunctionTypes::signatureOf(StringRef Root,
                                                  const LiveSite &S) {
  return signatureOf(
      {(Root + S.Module).str(), S.Module, S.Function - S.Base, S.Base}, S.Name,
      S.readable());
}

expressions::Signature
FunctionTypes::instructionAt(StringRef Root, const LiveSite &S, bool Typed) {
  if (Typed)
    return binaryOf({(Root + S.Module).str(), S.Module})
        .variablesAt(S.Sled - S.Base, S.Base, S.place());
  expressions::Signature Of;
  Of.At = expressions::Site::Instruction;
  Of.Function = S.place();
  return Of;
}

std::shared_ptr<const expressions::Scope>
FunctionTypes::modulesOf(pid_t Pid, uint64_t Instance) {
  auto &Found = Modules[Instance];
  if (!Found)
    Found = std::make_shared<ModuleNames>(
        Pid,
        [this](const std::string &Path, const std::string &Shown)
            -> types::Binary & { return binaryOf({Path, Shown}); });
  return Found;
}

expressions::Signature FunctionTypes::probeAt(StringRef Root, const LiveSite &S,
                                              bool Typed) {
  expressions::Signature Of = instructionAt(Root, S, Typed);
  auto Arguments = usdt::argumentsOf(S.Of->Arguments, *S.Of->File, S.Of->Base);
  Of.Function = S.Of->text();
  Of.ArgumentsOfProbe = Arguments.size();
  Of.Arguments.insert(Of.Arguments.begin(), Arguments.begin(), Arguments.end());
  Of.WhyUnknown.clear();
  return Of;
}

expressions::Signature FunctionTypes::pointAt(StringRef Root, const LiveSite &S,
                                              bool Typed) {
  expressions::Signature Of =
      expressions::signatureOfPoint(S.readable(), S.Types, S.Format, S.Style);
  if (Typed)
    binaryOf({(Root + S.Module).str(), S.Module})
        .addNames(Of, S.Sled - S.Base, S.Base);
  return Of;
}

expressions::Signature FunctionTypes::signatureOf(const Place &Of,
                                                  StringRef Linked,
                                                  StringRef Readable) {
  const expressions::Signature *Prototype =
      expressions::findPrototypeOfSymbol(Linked);
  expressions::Signature Read =
      binaryOf(Of).signatureAt(Of.Address, Of.Base, Readable);
  // A program may have a function of its own with a well-known name. Otherwise
  // the names of the arguments are those that the documents promise.
  bool IsKnown =
      Prototype && (!Read.WhyUnknown.empty() || isLike(Read, *Prototype));
  if (!IsKnown)
    return Read;
  expressions::Signature Result = *Prototype;
  Result.Names = std::move(Read.Names);
  return Result;
}

} // namespace tpctl
