// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the verbs show of source code: files and lines, names that only binaries
// have, and functions that were inlined. One thread at a time.

#ifndef TPCTL_SOURCES_H
#define TPCTL_SOURCES_H

#include "Recording.h"
#include "Symbolizer.h"
#include <map>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace tpctl {

/// What follows a name where `Where` tells functions of that name apart:
/// " (a.c)"; or nothing.
std::string whereText(llvm::StringRef Where);
/// Whether that which tells functions apart is the name of a source file, and
/// so the same in another build.
bool isSourceFile(llvm::StringRef Where);

class Sources {
public:
  /// --binaries.
  void addBinaries(CLI::App &Verb);
  /// --lines, for the verbs that write text.
  void addLines(CLI::App &Verb);
  /// The binaries are those that were asked about, so nobody has to be told how
  /// they were found.
  void trustBinaries() { Trusted = true; }
  /// True if text shows lines.
  bool inText() const { return Lines; }

  /// Opens a recording. Functions without a name get those of their binaries.
  llvm::Expected<std::unique_ptr<tp::trace::Recording>>
  open(llvm::StringRef Path) const;

  /// Looks up functions that lineOf() will be asked for.
  void prepare(tp::trace::Recording &R,
               std::vector<tp::trace::FunctionId> Functions) const;
  /// Where a function begins, as far as that is known. The reference stays.
  const tp::trace::SourceFrame &lineOf(tp::trace::Recording &R,
                                       tp::trace::FunctionId F) const;
  /// What tells functions of one module and linked name apart, as two static
  /// ones of different files: the name of the source file, where each has
  /// another one, or the module's name and the address.
  std::map<tp::trace::FunctionId, std::string>
  tellApart(tp::trace::Recording &R) const;
  /// Where the function at an address of a binary begins. The reference stays.
  const tp::trace::SourceFrame &lineOf(const tp::trace::Module &M,
                                       uint64_t Address) const;
  /// For text: "  at file.c:12", or nothing.
  std::string textOf(const tp::trace::SourceFrame &Line, bool Whole) const;
  /// For text: where a point was passed, and what was inlined there. `Shown`
  /// makes names for people.
  std::string
  textOf(tp::trace::Recording &R, const tp::trace::Point *P, uint32_t Site,
         bool Whole,
         llvm::function_ref<std::string(llvm::StringRef)> Shown) const;

private:
  tp::trace::Symbolizer &symbols() const;
  std::vector<std::string> Places;
  bool Lines = false, Trusted = false;
  /// Made when it is needed. Shared by the copies of a verb's options.
  std::shared_ptr<std::unique_ptr<tp::trace::Symbolizer>> Symbols =
      std::make_shared<std::unique_ptr<tp::trace::Symbolizer>>();
};

} // namespace tpctl

#endif
