// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the debug information of a binary tells about its functions: arguments,
// results, and the names that expressions can use. One thread at a time.

#ifndef TPCTL_TYPES_SIGNATURES_H
#define TPCTL_TYPES_SIGNATURES_H

#include "CallFrames.h"
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

  /// The same for an instruction at an address of the file: the variables that
  /// it sees. `Place` is its name.
  expressions::Signature variablesAt(uint64_t Address, uint64_t Base,
                                     llvm::StringRef Place);
  /// Adds the names of the source file that has code at an address.
  void addNames(expressions::Signature &, uint64_t Address, uint64_t Base);
  /// The names of all source files. Null: there is no debug information, and
  /// whyNot() says why.
  std::shared_ptr<const expressions::Scope> names(uint64_t Base) const;
  const std::string &whyNot() const { return WhyNot; }

private:
  std::shared_ptr<DebugFile> File;
  std::string Shown, WhyNot;
  CallFrames Frames;
};

} // namespace tpctl::types

#endif
