// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Processes.h.

#include "Processes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <fcntl.h>
#include <fstream>
#include <sys/syscall.h>
#include <unistd.h>

using namespace llvm;

namespace tpctl {
namespace {

/// A field of only this thread, even if the thread has ended.
std::string fieldOf(pid_t Thread, StringRef Name) {
  std::ifstream In("/proc/" + std::to_string(Thread) + "/status");
  for (std::string Line; std::getline(In, Line);) {
    auto [Field, Value] = StringRef(Line).split(':');
    if (Field == Name)
      return Value.trim().str();
  }
  return {};
}

/// Calls visit(thread) for each thread of a process, until the call returns
/// true. Returns that thread, or 0.
template <typename Function>
pid_t findThread(pid_t Pid, std::error_code &Code, Function Visit) {
  std::string Folder = ("/proc/" + Twine(Pid) + "/task").str();
  for (sys::fs::directory_iterator It(Folder, Code), End; It != End && !Code;
       It.increment(Code)) {
    pid_t Thread = 0;
    if (to_integer(sys::path::filename(It->path()), Thread, 10) &&
        Visit(Thread))
      return Thread;
  }
  return 0;
}

bool hasEnded(pid_t Thread) {
  std::string State = fieldOf(Thread, "State");
  return StringRef(State).starts_with("Z") || StringRef(State).starts_with("X");
}

} // namespace

pid_t livingThread(pid_t Pid) {
  if (!hasEnded(Pid))
    return Pid;
  std::error_code Code;
  pid_t Found = findThread(Pid, Code, [&](pid_t Thread) {
    return fieldOf(Thread, "Tgid") == std::to_string(Pid) && !hasEnded(Thread);
  });
  return Found ? Found : Pid;
}

std::vector<pid_t> allProcesses() {
  std::vector<pid_t> Found;
  std::error_code Code;
  for (sys::fs::directory_iterator It("/proc", Code), End; It != End && !Code;
       It.increment(Code)) {
    pid_t Pid = 0;
    if (to_integer(sys::path::filename(It->path()), Pid, 10) && Pid != getpid())
      Found.push_back(Pid);
  }
  llvm::sort(Found);
  return Found;
}

std::vector<pid_t> processesOf(StringRef Program) {
  // The kernel cuts names after 15 bytes.
  StringRef Name = sys::path::filename(Program).take_front(15);
  std::vector<pid_t> Found = allProcesses();
  llvm::erase_if(Found, [&](pid_t Pid) {
    return fieldOf(Pid, "Name") != Name || hasAllEnded(Pid);
  });
  return Found;
}

uint32_t numberInside(pid_t Thread) {
  // The numbers are in the order from the outermost namespace to the thread's
  // own namespace.
  std::string Numbers = fieldOf(Thread, "NSpid");
  uint32_t Number = 0;
  to_integer(StringRef(Numbers).substr(StringRef(Numbers).rfind('\t') + 1),
             Number, 10);
  return Number;
}

std::vector<pid_t> threadsOf(pid_t Pid) {
  std::vector<pid_t> Found;
  std::error_code Code;
  findThread(Pid, Code, [&](pid_t Thread) {
    Found.push_back(Thread);
    return false;
  });
  return Found;
}

pid_t threadNamed(pid_t Pid, StringRef Name, std::error_code &Code) {
  return findThread(Pid, Code, [&](pid_t Thread) {
    std::ifstream In(
        ("/proc/" + Twine(Pid) + "/task/" + Twine(Thread) + "/comm").str());
    std::string Line;
    return std::getline(In, Line) && Line == Name;
  });
}

std::string procPath(pid_t Pid, const Twine &After) {
  return ("/proc/" + Twine(livingThread(Pid)) + "/" + After).str();
}

std::string statusField(pid_t Pid, StringRef Name) {
  return fieldOf(livingThread(Pid), Name);
}

char stateOf(pid_t Pid) {
  std::string State = statusField(Pid, "State");
  return State.empty() ? 0 : State[0];
}

bool hasAllEnded(pid_t Pid) {
  char State = stateOf(Pid);
  return State == 0 || State == 'Z' || State == 'X';
}

StringRef whyWithoutMemory(pid_t Pid) {
  // A process releases its memory some time before its state says that it has
  // ended. Older kernels lack the field Kthread.
  return statusField(Pid, "Kthread") == "0"
             ? "has ended, and its parent has not waited for it yet"
             : "is a thread of the kernel";
}

int openFilesOf(pid_t Pid) {
  constexpr unsigned OfThread = O_EXCL; // PIDFD_THREAD, since Linux 6.9
  pid_t Thread = livingThread(Pid);
  return static_cast<int>(
      syscall(SYS_pidfd_open, Thread, Thread == Pid ? 0 : OfThread));
}

bool seesSameFiles(pid_t Pid) {
  std::string Folder = procPath(Pid, "");
  auto same = [&](const char *What) {
    sys::fs::UniqueID Here, There;
    return !sys::fs::getUniqueID(Twine("/proc/self/") + What, Here) &&
           !sys::fs::getUniqueID(Folder + What, There) && Here == There;
  };
  return same("ns/mnt") && same("root");
}

} // namespace tpctl
