// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The filter files: lists in the format of LLVM's special case lists, with the
// sections [always] and [never] and the entries fun:GLOB and src:GLOB. A list
// is read-only once it is loaded, so all threads may query the list.

#ifndef TP_FILTERLIST_H
#define TP_FILTERLIST_H

#include "Export.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/GlobPattern.h"
#include "llvm/Support/VirtualFileSystem.h"
#include <memory>
#include <string>
#include <vector>

namespace llvm {
class Function;
class MemoryBuffer;
class Module;
} // namespace llvm

namespace tp {

class FilterList {
public:
  /// One entry of a file, as `fun:GLOB`.
  struct Entry {
    std::string File;
    unsigned Line;
    std::string Text;
    /// At least one lookup matched the entry. Another entry may have decided.
    bool Matched = false;
  };

  enum Verdict { Silent, Always, Never };

  /// A verdict. Unless the verdict is Silent, also the line that gave the
  /// verdict.
  struct Match {
    Verdict V = Silent;
    std::string File = {};
    unsigned Line = 0;
  };

  /// Reads \p Files. The error is a complete message.
  static llvm::Expected<std::shared_ptr<const FilterList>>
  load(const std::vector<std::string> &Files, llvm::vfs::FileSystem &FS);

  /// What the files say about \p F. [always] is looked up first.
  Match verdict(const llvm::Function &F) const;

  /// All entries, and which of them match a function that \p M defines.
  TP_EXPORT std::vector<Entry> entriesFor(const llvm::Module &M) const;

private:
  /// The number of a file, and a line in it. Lines count from 1.
  using Place = std::pair<unsigned, unsigned>;
  static constexpr Place NotFound = {0, 0};

  struct Pattern {
    unsigned File, Line;
    std::string Text;
    std::shared_ptr<const std::string> GlobText; ///< Glob refers to it
    llvm::GlobPattern Glob;
    std::string Whole; ///< as in WholeNames; empty: it is not there
  };

  /// The entries of a section with the same prefix.
  struct Entries {
    /// Those that match only their own text: the last place of each.
    llvm::StringMap<Place> Plain;
    /// The others, as indexes of Patterns, in their order.
    std::vector<unsigned> Globs;
  };

  struct Section {
    Entries Names, Sources; ///< `fun:` and `src:`
    /// For entries that may be the whole name of a function but mean something
    /// else as a glob: the last place of each, by its normalised name.
    llvm::StringMap<Place> WholeNames;
  };

  llvm::Error addFile(unsigned Number, const llvm::MemoryBuffer &Buffer);
  /// The last place that matches \p Query, or NotFound.
  Place find(const Entries &Of, llvm::StringRef Query) const;
  /// The place of the entry of \p In that matches \p F, or NotFound.
  Place find(const Section &In, const llvm::Function &F) const;

  std::vector<std::string> Files;
  std::vector<Pattern> Patterns;
  Section OfAlways, OfNever;
};

} // namespace tp

#endif
