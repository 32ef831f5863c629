// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folders of a process that has another root.

#ifndef TPCTL_ROOTFOLDER_H
#define TPCTL_ROOTFOLDER_H

#include <string>

namespace tpctl {

/// Opens a folder below a root folder, with O_PATH. Links lead to places below
/// that root, as they do for the process whose root it is. -1: errno says why
/// there is none; ENOSYS before Linux 5.6.
int openFolderIn(const std::string &Root, const std::string &Folder);

} // namespace tpctl

#endif
