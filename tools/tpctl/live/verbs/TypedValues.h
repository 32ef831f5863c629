// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arguments and results of --args, as the function's debug information or
// its prototype says: their names and types, and how many there are.

#ifndef TPCTL_LIVE_VERBS_TYPED_VALUES_H
#define TPCTL_LIVE_VERBS_TYPED_VALUES_H

#include "live/targets/FunctionTypes.h"
#include "shared/TraceLines.h"
#include <functional>

namespace tpctl {

/// Shows values by their types. A word of unknown type is shown in hexadecimal.
class TypedValues : public CallTexts {
public:
  /// Uses debug information, too. `Seen` says where this process finds the file
  /// of a module. Otherwise only prototypes are known.
  void readFiles(std::function<std::string(const std::string &)> Seen) {
    Files = std::move(Seen);
  }
  std::string arguments(const tp::trace::Function &F,
                        llvm::ArrayRef<Value> Values) const override;
  std::string result(const tp::trace::Function &F,
                     const Value &V) const override;

private:
  /// Null: nothing is known.
  const expressions::Signature *signatureOf(const tp::trace::Function &) const;

  std::function<std::string(const std::string &)> Files;
  mutable FunctionTypes Types;
  /// By the module's file and the address in it.
  mutable std::map<std::pair<std::string, uint64_t>, expressions::Signature>
      Known;
};

} // namespace tpctl

#endif
