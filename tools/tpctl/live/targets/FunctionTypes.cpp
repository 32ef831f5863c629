// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See FunctionTypes.h.

#include "FunctionTypes.h"

#include "expressions/Prototypes.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;

namespace tpctl {

types::Binary &FunctionTypes::binaryOf(StringRef Root,
                                       const std::string &Module) {
  std::string Path = (Root + Module).str();
  types::Binary *&Found = Known[Path];
  if (Found)
    return *Found;
  sys::fs::file_status Status;
  sys::fs::status(Path, Status);
  auto Id = Status.getUniqueID();
  Found = &Files.try_emplace({Id.getDevice(), Id.getFile()}, Path, Module)
               .first->second;
  return *Found;
}

expressions::Signature FunctionTypes::signatureOf(StringRef Root,
                                                  const LiveSite &S) {
  const expressions::Signature *Prototype =
      expressions::findPrototypeOfSymbol(S.Name);
  expressions::Signature Read =
      binaryOf(Root, S.Module)
          .signatureAt(S.Function - S.Base, S.Base, S.readable());
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
