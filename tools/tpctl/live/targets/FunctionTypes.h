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

private:
  types::Binary &binaryOf(llvm::StringRef Root, const std::string &Module);

  /// Processes that run the same file share it: by device and inode.
  std::map<std::pair<uint64_t, uint64_t>, types::Binary> Files;
  std::map<std::string, types::Binary *> Known; ///< by path
};

} // namespace tpctl

#endif
