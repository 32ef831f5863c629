// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names for addresses in the code of a running process, even in code without
// sleds. The names come from the process's mappings and the symbols of the
// mapped files.

#ifndef TPCTL_LIVE_TARGETS_CODENAMES_H
#define TPCTL_LIVE_TARGETS_CODENAMES_H

#include "Symbolizer.h"
#include "shared/Mappings.h"
#include <map>
#include <optional>
#include <string>
#include <sys/types.h>

namespace tpctl {

class CodeNames {
public:
  explicit CodeNames(pid_t Pid);

  /// The function of the instruction before a return address. If functions were
  /// inlined, this is the function that has a frame on the stack. Without a
  /// symbol, the result is the file and the address in it.
  const std::string &callerAt(uint64_t ReturnAddress);

  /// The line of the call before a return address, as in file.c:12. Without
  /// lines, the result is that of callerAt().
  const std::string &lineAt(uint64_t ReturnAddress);

  /// The function or the variable at an address, as in name+0x8. Without a
  /// symbol, the result is the file and the address in it, or the address.
  const std::string &symbolAt(uint64_t Address);

  /// A file's path for tpctl. The folder of a process that has ended leads
  /// nowhere.
  std::string seen(const std::string &Path) const;

private:
  void readMappings();
  const Mapping *find(uint64_t Address);
  std::optional<uint64_t> addressInFile(const Mapping &M, uint64_t Address);
  std::string nameOf(uint64_t Address);
  std::string symbolOf(uint64_t Address);
  std::string symbolIn(uint64_t Address);
  /// Empty: not known.
  std::vector<tp::trace::SourceFrame> framesAt(uint64_t Address);

  pid_t Pid;
  bool SameFiles;                ///< for the process and for tpctl
  std::vector<Mapping> Mappings; ///< ascending
  std::map<uint64_t, std::string> Known, KnownLines, KnownSymbols;
  std::unique_ptr<tp::trace::Symbolizer> Symbols;
};

} // namespace tpctl

#endif
