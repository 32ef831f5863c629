// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See FunctionTypes.h.

#include "FunctionTypes.h"

#include "expressions/Prototypes.h"
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

expressions::Signature FunctionTypes::signatureOf(StringRef Root,
                                                  const LiveSite &S) {
  return signatureOf(
      {(Root + S.Module).str(), S.Module, S.Function - S.Base, S.Base}, S.Name,
      S.readable());
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
      Prototype && (!Read.WhyUnknown.empty() ||
                    Read.Arguments.size() == Prototype->Arguments.size());
  if (!IsKnown)
    return Read;
  expressions::Signature Result = *Prototype;
  Result.Names = std::move(Read.Names);
  return Result;
}

} // namespace tpctl
