// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The source code data that the verbs show: files and lines, names that only
// binaries have, and inlined functions. One thread at a time.

#ifndef TPCTL_SOURCES_H
#define TPCTL_SOURCES_H

#include "Recording.h"
#include "Symbolizer.h"
#include <map>
#include <string>
#include <vector>

namespace tpctl {

class VerbSyntax;

/// The text after a name if `Where` distinguishes functions of that name, such
/// as " (a.c)"; otherwise empty.
std::string whereText(llvm::StringRef Where);
/// Whether `Where` is the name of a source file, which is the same in another
/// build.
bool isSourceFile(llvm::StringRef Where);

class Sources {
public:
  /// --binaries.
  void addBinaries(VerbSyntax &Verb);
  /// --lines, for the verbs that write text.
  void addLines(VerbSyntax &Verb);
  /// The user has named these binaries, so no message says how they were found.
  void trustBinaries() { Trusted = true; }
  /// True if text shows lines.
  bool inText() const { return Lines; }

  /// Opens a recording. Functions without a name get those of their binaries.
  llvm::Expected<std::unique_ptr<tp::trace::Recording>>
  open(llvm::StringRef Path) const;

  /// Looks up functions for later calls of lineOf().
  void prepare(tp::trace::Recording &R,
               std::vector<tp::trace::FunctionId> Functions) const;
  /// Where a function begins, if known. The reference stays valid.
  const tp::trace::SourceFrame &lineOf(tp::trace::Recording &R,
                                       tp::trace::FunctionId F) const;
  /// The text that distinguishes functions with the same module and linked
  /// name, such as static functions of two files. If the functions are in
  /// source files with different names, the text is the file's name. Otherwise,
  /// the text is the module's name and the address.
  std::map<tp::trace::FunctionId, std::string>
  tellApart(tp::trace::Recording &R) const;
  /// Where the function at an address of a binary begins. The reference stays
  /// valid.
  const tp::trace::SourceFrame &lineOf(const tp::trace::Module &M,
                                       uint64_t Address) const;
  /// The function of the instruction before a return address of a process. If
  /// the recording does not have its module, the address.
  std::string callerAt(tp::trace::Recording &R, uint32_t Process,
                       uint64_t ReturnAddress) const;
  /// The function or the variable at an address of a process, as in name+0x8.
  /// If it has no name, the file and the address in it, or the address.
  std::string symbolAt(tp::trace::Recording &R, uint32_t Process,
                       uint64_t Address) const;
  /// Names what values of a call of `F` stand for (ValueNamer in Values.h).
  std::function<std::string(uint32_t Kind, uint64_t Word)>
  namerOf(tp::trace::Recording &R, uint32_t Process,
          tp::trace::FunctionId F) const;
  /// For text: "  at file.c:12", or nothing.
  std::string textOf(const tp::trace::SourceFrame &Line, bool Whole) const;
  /// For text: the place of a point, and the functions inlined there. `Shown`
  /// makes readable names.
  std::string
  textOf(tp::trace::Recording &R, const tp::trace::Point *P, uint32_t Site,
         bool Whole,
         llvm::function_ref<std::string(llvm::StringRef)> Shown) const;

private:
  tp::trace::Symbolizer &symbols() const;
  std::vector<std::string> Places;
  bool Lines = false, Trusted = false;
  /// Made at the first use. The copies of a verb's options share it.
  std::shared_ptr<std::unique_ptr<tp::trace::Symbolizer>> Symbols =
      std::make_shared<std::unique_ptr<tp::trace::Symbolizer>>();
};

} // namespace tpctl

#endif
