// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The facts about a recording in the head of a page of `tpctl view`: the
// numbers of `tpctl report`.

#ifndef TPCTL_VIEWFACTS_H
#define TPCTL_VIEWFACTS_H

#include "Profile.h"
#include "llvm/Support/JSON.h"

namespace tpctl {

/// A number with commas between thousands.
std::string grouped(uint64_t Number);

class ViewFacts {
public:
  static llvm::Expected<ViewFacts> read(llvm::StringRef Path);
  /// The parts that were skipped or repaired.
  void addFindings(tp::trace::Recording &R);
  /// For view/page.js. The page shows the hints next to the tabs.
  llvm::json::Value json(llvm::StringRef AboutAll,
                         llvm::StringRef AboutTimeline, bool HasCalls) const;
  uint64_t events() const { return Events; }
  /// The reason why there is nothing to show.
  llvm::StringRef whyEmpty() const { return WhyEmpty; }

private:
  std::string File, Program, Where, WhyEmpty;
  uint64_t Events = 0, Lost = 0, Threads = 0;
  double Nanoseconds = 0;
  llvm::json::Array Findings;
};

} // namespace tpctl

#endif
