// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the debug information of a binary tells about its functions: arguments,
// results, and the names that expressions can use. One thread at a time.

#ifndef TPCTL_TYPES_SIGNATURES_H
#define TPCTL_TYPES_SIGNATURES_H

#include "DebugFile.h"
#include "expressions/Declarations.h"

namespace tpctl::types {

/// The debug information of one binary.
class Binary {
public:
  /// `Path` is where this process finds the file. `Shown` is its name in
  /// messages. Without debug information of its own, files of that build-id
  /// below /usr/lib/debug count.
  Binary(llvm::StringRef Path, std::string Shown);

  /// A function at an address of the file. `Base` is where the process has the
  /// file's address 0. Always has a result; if nothing is known,
  /// Signature::WhyUnknown says why.
  expressions::Signature signatureAt(uint64_t Address, uint64_t Base,
                                     llvm::StringRef Function);

private:
  std::shared_ptr<DebugFile> File;
  std::string Shown, WhyNot;
};

} // namespace tpctl::types

#endif
