// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns the user's arguments into clang's. Short flags become long flags, and
// the plugin's name becomes a path. Adds the arguments that a link needs.
#ifndef TP_CLANG_REWRITE_H
#define TP_CLANG_REWRITE_H

#include "ResponseFile.h"

#include <string>
#include <vector>

namespace tp {

struct Command;
struct Installation;
struct RealClang;

/// If the command cannot work, prints a message and ends the program.
std::vector<std::string> rewriteArguments(const std::vector<Argument> &Args,
                                          const Command &C,
                                          const Installation &Own,
                                          const RealClang &Clang);

} // namespace tp

#endif
