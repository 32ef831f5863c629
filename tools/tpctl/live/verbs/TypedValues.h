// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arguments and results of --args, as the function's prototype says: their
// names and types, and how many there are.

#ifndef TPCTL_LIVE_VERBS_TYPED_VALUES_H
#define TPCTL_LIVE_VERBS_TYPED_VALUES_H

#include "shared/TraceLines.h"

namespace tpctl {

/// Shows values by prototypes. A word of unknown type is shown in hexadecimal.
class TypedValues : public CallTexts {
public:
  std::string arguments(const tp::trace::Function &F,
                        llvm::ArrayRef<Value> Values) const override;
  std::string result(const tp::trace::Function &F,
                     const Value &V) const override;
};

} // namespace tpctl

#endif
