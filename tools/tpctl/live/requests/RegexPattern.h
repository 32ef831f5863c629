// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pattern with a regular expression: /regex/, module!/regex/ or
// point:/regex/. The expression may match any part of a demangled name.

#ifndef TPCTL_LIVE_REQUESTS_REGEX_PATTERN_H
#define TPCTL_LIVE_REQUESTS_REGEX_PATTERN_H

#include "llvm/Support/Error.h"
#include "llvm/Support/Regex.h"
#include <memory>
#include <optional>
#include <string>

namespace tpctl {

struct LiveSite;

class RegexPattern {
public:
  /// nullopt if the pattern is not a regular expression.
  static llvm::Expected<std::optional<RegexPattern>>
  parse(llvm::StringRef Text);

  bool matches(const LiveSite &S) const;
  /// A glob for the process that selects at least the same sites.
  const std::string &wider() const { return Wider; }

private:
  explicit RegexPattern(llvm::Regex Of)
      : Name(std::make_shared<const llvm::Regex>(std::move(Of))) {}
  std::shared_ptr<const llvm::Regex> Name;
  std::shared_ptr<const std::string> ModuleText; ///< none: any module
  bool PointsOnly = false;
  std::string Wider = "*";
};

} // namespace tpctl

#endif
