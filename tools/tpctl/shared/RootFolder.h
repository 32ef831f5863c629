// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens folders of a process that has another root.

#ifndef TPCTL_ROOTFOLDER_H
#define TPCTL_ROOTFOLDER_H

#include <string>

namespace tpctl {

/// Opens a folder below a root folder, with O_PATH. Symbolic links are followed
/// inside that root, as for the process. On failure returns -1, and errno says
/// why; ENOSYS before Linux 5.6.
int openFolderIn(const std::string &Root, const std::string &Folder);

} // namespace tpctl

#endif
