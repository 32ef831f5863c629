// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds out which linker clang will run, without running clang: the search of
// clang's Driver::GetProgramPath for the linker's name, and from the file
// found, links followed, the family it belongs to.
#ifndef TP_CLANG_LINKER_H
#define TP_CLANG_LINKER_H

#include <string>

namespace tp {

struct Command;

enum class Linker { GNU, LLD, Gold, Mold, Unknown };

/// \p ClangFolder is the folder of the clang that will run, and \p DefaultName
/// the linker it takes when no option names one.
Linker findLinker(const Command &C, const std::string &ClangFolder,
                  const std::string &DefaultName);

/// Whether -fuse-ld=lld would find a program.
bool hasLLD(const Command &C, const std::string &ClangFolder);

/// The name for messages.
const char *linkerName(Linker L);

} // namespace tp

#endif
