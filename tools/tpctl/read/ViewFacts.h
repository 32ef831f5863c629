// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The facts about a recording in the head of a page of `tpctl view`: the
// numbers of `tpctl report`.

#ifndef TPCTL_VIEWFACTS_H
#define TPCTL_VIEWFACTS_H

#include "Rows.h"
#include "llvm/Support/JSON.h"

namespace tpctl {

/// A number with commas between thousands.
std::string grouped(uint64_t Number);

/// What a page says about its timeline.
struct TimelineFacts {
  llvm::json::Array Threads; ///< [name, calls], in the order of the profiles
  std::string Hint;          ///< empty: the page has no timeline
  long long Start = 0;       ///< nanoseconds since the recording's beginning
};

class ViewFacts {
public:
  static llvm::Expected<ViewFacts> read(llvm::StringRef Path,
                                        const Sources &Code);
  /// The program, and the parts that were skipped or repaired.
  void addRecording(tp::trace::Recording &R);
  /// For view/page.js. The page shows the hints next to the tabs.
  llvm::json::Value json(llvm::StringRef AboutAll, TimelineFacts Timeline,
                         bool HasCalls) const;
  uint64_t events() const { return All.Events; }
  /// The numbers of a function, or null.
  const Row *rowOf(llvm::StringRef Module, llvm::StringRef Name,
                   llvm::StringRef Where) const;
  /// The reason why there is nothing to show.
  llvm::StringRef whyEmpty() const { return All.WhyEmpty; }

private:
  std::string File, Program, Where;
  Table All;
  /// By module, name, and the text that distinguishes functions of that name.
  std::map<std::tuple<llvm::StringRef, llvm::StringRef, llvm::StringRef>,
           const Row *>
      Rows;
  llvm::json::Array Findings;
};

} // namespace tpctl

#endif
