// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the driver adds to a link.
#ifndef TP_CLANG_LINKARGUMENTS_H
#define TP_CLANG_LINKARGUMENTS_H

#include <string>
#include <vector>

namespace tp {

struct Command;
struct Installation;
struct RealClang;

/// The additions, between the options that keep clang quiet about unused
/// arguments. Empty if \p C does not link. If the link cannot work, prints a
/// message and ends the program.
std::vector<std::string> linkArguments(const Command &C,
                                       const Installation &Own,
                                       const RealClang &Clang);

/// Gives ThinLTO's cache a separate folder for each build of the pass, if \p
/// Arg names a cache: an option, or a linker word such as
/// -Wl,--thinlto-cache-dir=DIR. The linker's key of a cached object does not
/// include the passes it loaded.
std::string separateCacheFolder(const std::string &Arg,
                                const Installation &Own);

} // namespace tp

#endif
