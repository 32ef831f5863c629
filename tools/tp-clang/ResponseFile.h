// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Response files (@FILE). The driver has to know what is in them. It hands a
// file on as it is, unless the file contains a flag that clang would refuse.
#ifndef TP_CLANG_RESPONSEFILE_H
#define TP_CLANG_RESPONSEFILE_H

#include <string>
#include <vector>

namespace tp {

/// One argument as clang is to get it, and the arguments it stands for.
struct Argument {
  std::string Text;
  /// Contents of a response file that is handed on unchanged; empty for a plain
  /// argument.
  std::vector<std::string> Contents;
};

/// Reads every @FILE in \p Args. A file that contains a `-ftp-` flag is
/// replaced by its contents. Any other file stays, with its contents beside it.
/// A name that cannot be read stays a plain argument, as clang treats it.
std::vector<Argument> readArguments(const std::vector<std::string> &Args);

} // namespace tp

#endif
