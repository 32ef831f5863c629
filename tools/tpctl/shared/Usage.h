// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The help of tpctl, and its messages about wrong arguments.

#ifndef TPCTL_USAGE_H
#define TPCTL_USAGE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <sys/types.h>

namespace tpctl {

class CommandLine;
class VerbSyntax;

/// The verbs that run a command after --.
bool runsCommand(llvm::StringRef Verb);

/// The value of -p often comes from a command that may print nothing.
inline constexpr char NoPid[] =
    "-p has no value: give a process's number, as in -p $(pidof server), which "
    "prints nothing if no such process runs";
/// Why -p NAME does not select a process: there is none of this name, or there
/// are several.
std::string whyNotOne(llvm::StringRef Name, llvm::ArrayRef<pid_t> Found);

/// "'yaml' is none of csv, json, text".
std::string noneOf(llvm::StringRef Given, llvm::ArrayRef<std::string> Names);

/// The message for a first argument that is not an option or a verb. Empty if
/// the first argument is an option or a verb.
std::string explainVerb(const CommandLine &Line, llvm::StringRef First);

/// A message about the fault that CLI11 has found, with the command that shows
/// the right usage. `Class` is the class of CLI11's error, and `Text` its
/// message. `Verb` is nullptr if the user gave no verb.
std::string explainUsage(const VerbSyntax *Verb, llvm::StringRef Class,
                         llvm::StringRef Text);

/// The usage line of a verb, as it follows from the one that CLI11 makes.
std::string usageOf(const VerbSyntax &Verb, llvm::StringRef Program,
                    llvm::StringRef Usual);
/// tpctl's own help. The verbs are in two groups.
std::string helpOfAll(const CommandLine &Line);
/// Shortens the help of a verb so that it fits on a screen. On a terminal, a
/// last line names the less used options for which there is no room.
std::string onScreen(llvm::StringRef Help, llvm::StringRef Verb);

} // namespace tpctl

#endif
