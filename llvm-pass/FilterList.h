// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The filter files: LLVM special case lists with the sections [always] and
// [never] and the entries fun:GLOB and src:GLOB. Read-only once loaded.

#ifndef TP_FILTERLIST_H
#define TP_FILTERLIST_H

#include "llvm/Support/SpecialCaseList.h"
#include "llvm/Support/VirtualFileSystem.h"
#include <memory>
#include <string>
#include <vector>

namespace llvm {
class Function;
}

namespace tp {

class FilterList {
public:
  enum Verdict { Silent, Always, Never };

  /// A verdict and the line that gave it, unless silent.
  struct Match {
    Verdict V = Silent;
    llvm::StringRef File;
    unsigned Line = 0;
  };

  /// Reads \p Files. On failure returns null and a whole message in \p Error.
  static std::shared_ptr<const FilterList>
  load(const std::vector<std::string> &Files, llvm::vfs::FileSystem &FS,
       std::string &Error);

  /// What the files say about \p F; [always] is asked first.
  Match verdict(const llvm::Function &F) const;

private:
  /// File number and line of the entry of \p Section that matches \p F, or
  /// SpecialCaseList::NotFound.
  std::pair<unsigned, unsigned> find(llvm::StringRef Section,
                                     const llvm::Function &F) const;

  std::vector<std::string> Files;
  std::unique_ptr<llvm::SpecialCaseList> List;
};

} // namespace tp

#endif
