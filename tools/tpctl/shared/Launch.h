// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a command with libtprt in it, until it ends.

#ifndef TPCTL_LAUNCH_H
#define TPCTL_LAUNCH_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include <chrono>
#include <string>

namespace tpctl {

/// The path of a library of this installation. The error says where it was
/// looked for.
llvm::Expected<std::string> findRuntime(llvm::StringRef Name = "libtprt.so");

/// The one for programs of musl, as a name for findRuntime().
constexpr llvm::StringLiteral RuntimeForMusl = "tp/musl/libtprt.so";

/// Sets LD_PRELOAD for a program that does not contain libtprt itself. The
/// error says where the library was looked for, or why the program cannot take
/// it. Says so if the program translates another one's code.
llvm::Error preloadRuntime(llvm::StringRef Program);

/// Why nothing can be loaded into a program without a loader, as ": it is …".
/// "": it has one, or contains libtprt.
std::string whyNotLoaded(llvm::StringRef Program);

/// How a command ended: its exit code as a shell has it, which is 128 and the
/// signal's number if a signal ended it.
struct CommandEnd {
  int Code;
  int Signal; ///< 0: none
};

/// Starts a command, with the signals that tpctl ignores as usual. Returns its
/// process. `Output`: the command gets nothing of the terminal; what it would
/// write there goes to this file, or nowhere if the path is empty.
llvm::Expected<int> startCommand(llvm::ArrayRef<char *> Command,
                                 const std::string *Output = nullptr);

/// Runs a command until it ends. SIGINT, SIGQUIT, SIGTERM and SIGHUP do
/// not end tpctl; they go to the command, as far as it has not got them from
/// the terminal. `Meanwhile` is called again and again with the process, and
/// says how long to pause until the next call.
llvm::Expected<CommandEnd>
runCommand(llvm::ArrayRef<char *> Command,
           llvm::function_ref<std::chrono::milliseconds(pid_t)> Meanwhile = {});

} // namespace tpctl

#endif
