// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Response files (@FILE). The driver must know their contents. The driver
// passes a file on unchanged, unless the file contains a flag that clang would
// refuse.
#ifndef TP_CLANG_RESPONSEFILE_H
#define TP_CLANG_RESPONSEFILE_H

#include <string>
#include <vector>

namespace tp {

/// One argument for clang, and the arguments that it represents.
struct Argument {
  std::string Text;
  /// The contents of a response file that is passed on unchanged; empty for a
  /// plain argument.
  std::vector<std::string> Contents;
};

/// Reads every @FILE in \p Args. A file that contains a `-ftp-` flag is
/// replaced by its contents. Any other file stays an argument, together with
/// its contents. A file that cannot be read stays a plain argument, as in
/// clang.
std::vector<Argument> readArguments(const std::vector<std::string> &Args);

} // namespace tp

#endif
