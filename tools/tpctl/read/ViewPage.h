// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pages of `tpctl view`. The build makes them from npm packages
// (view/bundle.mjs) and puts them into the executable. These functions add a
// recording's data.

#ifndef TPCTL_VIEWPAGE_H
#define TPCTL_VIEWPAGE_H

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace tpctl {

class ViewPage {
public:
  enum Kind { OneRecording, TwoRecordings };
  /// Fails if tpctl was built without the pages.
  static llvm::Expected<ViewPage> find(Kind Which);

  /// The data that view/page.js finds as data-NAME, compressed or as plain
  /// text.
  void addPacked(llvm::StringRef Name, llvm::StringRef Text);
  void addJson(llvm::StringRef Name, const llvm::json::Value &Value);
  void write(llvm::raw_ostream &OS) const;

private:
  explicit ViewPage(llvm::StringRef Page) : Page(Page) {}
  void add(llvm::StringRef Name, llvm::StringRef Text);
  llvm::StringRef Page;
  std::string Data;
};

} // namespace tpctl

#endif
