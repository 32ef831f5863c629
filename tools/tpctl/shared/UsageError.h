// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The error for wrong arguments.

#ifndef TPCTL_USAGE_ERROR_H
#define TPCTL_USAGE_ERROR_H

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace tpctl {

/// tpctl ends with the exit code WrongUsage.
class UsageError : public llvm::ErrorInfo<UsageError> {
public:
  static inline char ID;
  explicit UsageError(std::string Text) : Text(std::move(Text)) {}
  void log(llvm::raw_ostream &OS) const override { OS << Text; }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

private:
  std::string Text;
};

inline llvm::Error wrongUsage(const llvm::Twine &Message) {
  return llvm::make_error<UsageError>(Message.str());
}

} // namespace tpctl

#endif
