// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds out which linker clang will run, without running clang. Searches as
// clang's Driver::GetProgramPath does. Then the name of the linker's file, with
// links followed, shows the linker's family.
#ifndef TP_CLANG_LINKER_H
#define TP_CLANG_LINKER_H

#include <string>

namespace tp {

struct Command;

enum class Linker { GNU, LLD, Gold, Mold, Unknown };

/// \p ClangFolder is the folder of the clang that will run. \p DefaultName is
/// the linker that this clang runs if no option names one.
Linker findLinker(const Command &C, const std::string &ClangFolder,
                  const std::string &DefaultName);

/// The program that -fuse-ld=lld runs, or that --ld-path or -fuse-ld name.
/// Empty if there is none.
std::string findLLD(const Command &C, const std::string &ClangFolder);

/// The name for messages.
const char *linkerName(Linker L);

} // namespace tp

#endif
