// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arguments and results of functions of running processes: by their debug
// information, or by the prototypes that tpctl knows. One thread at a time.

#ifndef TPCTL_LIVE_TARGETS_FUNCTIONTYPES_H
#define TPCTL_LIVE_TARGETS_FUNCTIONTYPES_H

#include "live/requests/Requests.h"
#include "types/Signatures.h"
#include <map>

namespace tpctl {

class FunctionTypes {
public:
  /// A function of a process. `Root` is the folder with the process's files.
  /// Always has a result; if nothing is known, Signature::WhyUnknown says why.
  expressions::Signature signatureOf(llvm::StringRef Root, const LiveSite &);

  /// A single instruction: the variables that it sees, if `Typed`.
  expressions::Signature instructionAt(llvm::StringRef Root, const LiveSite &,
                                       bool Typed);
  /// A USDT probe: its arguments, and if `Typed` the variables that its
  /// instruction sees.
  expressions::Signature probeAt(llvm::StringRef Root, const LiveSite &,
                                 bool Typed);
  /// A point: its arguments, and if `Typed` the names of its source file.
  expressions::Signature pointAt(llvm::StringRef Root, const LiveSite &,
                                 bool Typed);

  /// A place in a module's file.
  struct Place {
    std::string Path;   ///< where this process finds the file
    std::string Module; ///< its name in messages
    uint64_t Address = 0;
    uint64_t Base = 0; ///< where the process has the file's address 0
  };
  /// The function there, with its linked name and a readable one.
  expressions::Signature signatureOf(const Place &, llvm::StringRef Linked,
                                     llvm::StringRef Readable);

  /// The variables of the modules of a process. `Instance` differs between the
  /// programs that a process runs one after the other.
  std::shared_ptr<const expressions::Scope> modulesOf(pid_t Pid,
                                                      uint64_t Instance);

private:
  types::Binary &binaryOf(const Place &);

  /// Processes that run the same file share it: by device and inode.
  std::map<std::pair<uint64_t, uint64_t>, types::Binary> Files;
  std::map<std::string, types::Binary *> Known; ///< by path
  std::map<uint64_t, std::shared_ptr<const expressions::Scope>> Modules;
};

} // namespace tpctl

#endif
