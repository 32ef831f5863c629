// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of one compilation: their declaration, defaults, validation and
// help. One parser handles clang's plugin arguments (`entry=2,0`) and the
// -mllvm options (`-tp-entry=2,0`). Used on the thread that compiles; the
// -mllvm values are read-only once LLVM has parsed its command line.

#ifndef TP_OPTIONS_H
#define TP_OPTIONS_H

#include "EntrySpec.h"
#include "Export.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/VirtualFileSystem.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tp {

class FilterList;

struct Options {
  // A user sets these.
  std::optional<EntrySpec> Entry;
  bool Exit = false;
  bool SlotAuto = true;
  unsigned Threshold = 0;
  bool Opaque = false;
  bool Names = false;
  std::vector<std::string> FilterFiles;
  /// The user asked only for the list of keys.
  bool Help = false;

  // tp-clang and tp-select set this.
  /// The user writes -ftp-KEY, so messages use that spelling.
  bool ShortFlags = false;

  // The code that runs the passes sets these.
  /// Made by loadFilters() from FilterFiles.
  std::shared_ptr<const FilterList> Filter;
  /// Another command generates the code.
  bool ToBitcode = false;
  /// clang builds no pipeline to which a pass could be added.
  bool NoPasses = false;
  /// Code generation has begun, so it is too late to hide functions.
  bool AfterOptimiser = false;

  /// The prefix of a key in the user's spelling.
  llvm::StringRef flagPrefix() const {
    return ShortFlags ? "-ftp-" : "-fplugin-arg-tp-";
  }
};

/// Parses the plugin's arguments, each "KEY" or "KEY=VALUE". If an argument is
/// "help", prints the list of keys. Does not read filter files. The error is a
/// complete message that names the argument in the user's spelling.
TP_EXPORT llvm::Error applyArguments(Options &O,
                                     llvm::ArrayRef<std::string> Arguments);

/// Adds the options given as -mllvm -tp-.... Does not read filter files.
llvm::Error applyCommandLine(Options &O);

/// A text with one line for each key. Each line begins with \p Prefix.
TP_EXPORT std::string optionsHelp(llvm::StringRef Prefix);

/// Reads the filter files.
TP_EXPORT llvm::Error loadFilters(Options &O, llvm::vfs::FileSystem &FS);

/// True for the first copy of the library in this process. A second copy,
/// loaded from another path, must register nothing.
bool isFirstCopy();
/// The same for libtp.so. Returns true only for the first call.
TP_EXPORT bool claimFrontend();

} // namespace tp

#endif
