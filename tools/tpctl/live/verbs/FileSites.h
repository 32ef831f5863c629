// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists the functions and points with sleds in a linked file, by the tables
// that table-abi.md defines. The file is not run.

#ifndef TPCTL_LIVE_VERBS_FILE_SITES_H
#define TPCTL_LIVE_VERBS_FILE_SITES_H

#include "live/requests/Requests.h"

namespace tpctl {

/// In the order of the tables. The addresses are those of the file. Patterns by
/// source file select nothing here.
llvm::Expected<std::vector<LiveSite>> listFile(llvm::StringRef Path,
                                               const Patterns &P);

} // namespace tpctl

#endif
