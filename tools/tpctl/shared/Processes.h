// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads facts about processes from /proc.

#ifndef TPCTL_PROCESSES_H
#define TPCTL_PROCESSES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include <cstdint>
#include <string>
#include <sys/types.h>
#include <system_error>
#include <vector>

namespace tpctl {

/// A thread under whose number /proc shows the process. Usually that is the
/// first thread. If the first thread has ended before the others, for example
/// by pthread_exit() in main(), /proc shows no memory, files or namespaces
/// under its number. Returns `Pid` if no thread is alive.
pid_t livingThread(pid_t Pid);
/// /proc/PID/..., by the number of a living thread.
std::string procPath(pid_t Pid, const llvm::Twine &After);
/// A field of /proc/PID/status; "" if there is none. `Pid` may also be a
/// thread's number.
std::string statusField(pid_t Pid, llvm::StringRef Name);
/// The letter of the process's state in /proc/PID/status; 0 if there is no such
/// process. Z and X mean that all threads have ended.
char stateOf(pid_t Pid);
/// Whether all threads of the process have ended, or there is no such process.
bool hasAllEnded(pid_t Pid);
/// A message that says why a process has no memory: it is a thread of the
/// kernel, or is ending.
llvm::StringRef whyWithoutMemory(pid_t Pid);
/// The processes that /proc shows, without this one.
std::vector<pid_t> allProcesses();
/// The processes that run a program of this name, or at this path.
std::vector<pid_t> processesOf(llvm::StringRef Program);
/// The number that a thread has in its own PID namespace; 0 if the thread has
/// ended.
uint32_t numberInside(pid_t Thread);
/// The threads of a process.
std::vector<pid_t> threadsOf(pid_t Pid);
/// A thread with this name. Returns 0 if there is no such thread, or if the
/// threads cannot be read. In the second case, `Code` says why.
pid_t threadNamed(pid_t Pid, llvm::StringRef Name, std::error_code &Code);
/// A pidfd through which pidfd_getfd() reaches the process's files; -1 with
/// errno.
int openFilesOf(pid_t Pid);

/// Whether a path names the same file for the process and for tpctl: both have
/// the same mount namespace and root.
bool seesSameFiles(pid_t Pid);

} // namespace tpctl

#endif
