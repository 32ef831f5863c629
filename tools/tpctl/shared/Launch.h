// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a command with libtprt in it until the command ends.

#ifndef TPCTL_LAUNCH_H
#define TPCTL_LAUNCH_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include <chrono>
#include <string>

namespace tpctl {

/// The path of a library of this installation. The error says where the library
/// was searched.
llvm::Expected<std::string> findRuntime(llvm::StringRef Name = "libtprt.so");

/// The library for programs of musl, as a name for findRuntime().
constexpr llvm::StringLiteral RuntimeForMusl = "tp/musl/libtprt.so";

/// If the program does not contain libtprt, sets LD_PRELOAD. The error says
/// where the library was searched, or why the library cannot be loaded into the
/// program, or that the program translates another program's code.
llvm::Error preloadRuntime(llvm::StringRef Program);

/// Explains why nothing can be loaded into a program without a loader, as ": it
/// is …". Returns "" if the program has a loader or contains libtprt.
std::string whyNotLoaded(llvm::StringRef Program);

/// The exit code of a process with this status (wait(2)), as a shell reports
/// it: 128 plus the signal's number if a signal has ended the process.
int exitCodeOf(int Status);

/// From now on, these signals do not end tpctl. If a process has sent one, it
/// is sent on to this child. A signal from the terminal reaches the child
/// anyway. With 0, signals are lost until this is called with a child.
void passSignalsTo(pid_t Child, llvm::ArrayRef<int> Signals);

/// How a command ended: its exit code as in exitCodeOf().
struct CommandEnd {
  int Code;
  int Signal; ///< 0: none
};

/// Starts a command, with default actions for the signals that tpctl ignores.
/// Returns the command's pid. If `Output` is given, the command does not use
/// the terminal. Its output goes to this file, or is discarded if the path is
/// empty.
llvm::Expected<int> startCommand(llvm::ArrayRef<char *> Command,
                                 const std::string *Output = nullptr);

/// Runs a command until it ends. SIGINT, SIGQUIT, SIGTERM and SIGHUP do not end
/// tpctl. If the command did not get such a signal from the terminal, tpctl
/// passes the signal on. `Meanwhile` is called repeatedly with the process, and
/// returns the pause until the next call.
llvm::Expected<CommandEnd>
runCommand(llvm::ArrayRef<char *> Command,
           llvm::function_ref<std::chrono::milliseconds(pid_t)> Meanwhile = {});

} // namespace tpctl

#endif
