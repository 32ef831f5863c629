// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The error for patterns that match nothing in a process.

#ifndef TPCTL_LIVE_REQUESTS_NO_MATCH_H
#define TPCTL_LIVE_REQUESTS_NO_MATCH_H

#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace tpctl {

class NoMatch : public llvm::ErrorInfo<NoMatch> {
public:
  static char ID;
  explicit NoMatch(std::string Text) : Text(std::move(Text)) {}
  void log(llvm::raw_ostream &OS) const override { OS << Text; }
  const std::string &text() const { return Text; }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

private:
  std::string Text;
};

} // namespace tpctl

#endif
