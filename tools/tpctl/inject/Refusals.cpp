// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Refusals.h.

#include "Refusals.h"

#include "shared/Processes.h"
#include <fcntl.h>
#include <fstream>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

using namespace llvm;

namespace tpctl {
namespace {

constexpr StringLiteral StartIt =
    "start it by tpctl VERB ... -- COMMAND, or link it with libtprt";

Error refuse(pid_t Pid, const Twine &Why) {
  return createStringError("process " + Twine(Pid) + " " + Why);
}

std::string firstLine(const Twine &Path) {
  std::ifstream In(Path.str());
  std::string Line;
  std::getline(In, Line);
  return Line;
}

Error notAllowed(pid_t Pid) {
  std::string User = StringRef(statusField(Pid, "Uid")).split('\t').first.str();
  if (!User.empty() && User != std::to_string(geteuid()) && geteuid() != 0)
    return refuse(Pid,
                  "is of user " + User + ": run tpctl as this user or as root");
  std::string Scope = firstLine("/proc/sys/kernel/yama/ptrace_scope");
  if (Scope == "3")
    return refuse(Pid,
                  "cannot be changed: kernel.yama.ptrace_scope is 3, which "
                  "forbids this to all users until the next reboot: " +
                      StartIt);
  if (Scope == "1" || Scope == "2")
    return refuse(Pid, "cannot be changed: kernel.yama.ptrace_scope is " +
                           Scope +
                           ": run tpctl as root, or let root run 'sysctl "
                           "kernel.yama.ptrace_scope=0'");
  if (geteuid() == 0)
    return refuse(Pid, "cannot be changed: root lacks the right in this "
                       "container. Run tpctl outside of the container, or give "
                       "the container the capability CAP_SYS_PTRACE");
  return refuse(Pid, "cannot be changed: it has more rights than tpctl, or it "
                     "has changed its user since its start: run tpctl as root");
}

Error checkFile(pid_t Pid) {
  errno = 0;
  std::ifstream In(procPath(Pid, "exe"), std::ios::binary);
  ElfW(Ehdr) Header;
  if (!In.read(reinterpret_cast<char *>(&Header), sizeof Header))
    return errno == EACCES || errno == EPERM
               ? notAllowed(Pid)
               : refuse(Pid, "has a program that cannot be read: " + StartIt);
  if (Header.e_ident[EI_CLASS] != ELFCLASS64)
    return refuse(Pid, "runs a 32-bit program, and libtprt is for 64 bits: "
                       "compile the program for 64 bits");
  if (Header.e_machine != OwnMachine)
    return refuse(Pid, "runs a program for another processor than tpctl: run "
                       "a tpctl that is built for that processor");
  return Error::success();
}

/// A child of vfork() shares its parent's memory.
bool sharesMemory(pid_t Pid) {
  constexpr int Memory = 1; // KCMP_VM
  pid_t Parent =
      static_cast<pid_t>(strtol(statusField(Pid, "PPid").c_str(), nullptr, 10));
  return Parent > 0 && syscall(SYS_kcmp, livingThread(Pid),
                               livingThread(Parent), Memory, 0, 0) == 0;
}

Error checkState(pid_t Pid) {
  std::string Leader = statusField(Pid, "Tgid");
  if (!Leader.empty() && Leader != std::to_string(Pid))
    return refuse(Pid,
                  "is a thread of process " + Leader + ": give -p " + Leader);
  switch (stateOf(Pid)) {
  case 0:
    return createStringError("there is no process " + Twine(Pid));
  case 'Z':
  case 'X':
    return refuse(Pid, "has ended, and its parent has not waited for it yet");
  case 'T':
    return refuse(Pid, "is stopped: send it SIGCONT");
  default:
    break;
  }
  if (statusField(Pid, "VmSize").empty())
    return refuse(Pid, whyWithoutMemory(Pid).str());
  return Error::success();
}

} // namespace

Error checkProcess(pid_t Pid) {
  if (Error E = checkState(Pid))
    return E;
  std::string Tracer = statusField(Pid, "TracerPid");
  if (Tracer != "0" && !Tracer.empty())
    return refuse(Pid, "is being traced by process " + Tracer + " (" +
                           firstLine("/proc/" + Tracer + "/comm") +
                           "): end that first");
  if (Error E = checkFile(Pid))
    return E;
  std::string Filter = statusField(Pid, "Seccomp");
  if (Filter == "1" || Filter == "2")
    return refuse(Pid, "has a seccomp filter, which may kill the process at a "
                       "system call of the loading: " +
                           StartIt);
  if (StringRef(statusField(Pid, "x86_Thread_features")).contains("shstk"))
    return refuse(Pid, "has a shadow stack: start it with "
                       "GLIBC_TUNABLES=glibc.cpu.x86_shstk=off");
  if (sharesMemory(Pid))
    return refuse(Pid, "is a child of vfork() that shares its parent's memory "
                       "until it runs a program: try again");
  return Error::success();
}

Error checkImage(const Image &Target) {
  pid_t Pid = Target.memory().Pid;
  for (const char *Name :
       {"__asan_init", "__tsan_init", "__msan_init", "__hwasan_init"})
    if (Target.find(Name))
      return refuse(
          Pid, "runs with a sanitizer, which must see each thread start: " +
                   StartIt);
  return Error::success();
}

Error explain(pid_t Pid, Error E) {
  return handleErrors(std::move(E), [&](const PtraceFailure &F) -> Error {
    if (F.Code == EPERM || F.Code == EACCES) {
      std::string Tracer = statusField(Pid, "TracerPid");
      if (Tracer != "0" && !Tracer.empty())
        return refuse(Pid, "is being traced by process " + Tracer +
                               ": end that first");
      return notAllowed(Pid);
    }
    if (F.Code == ESRCH)
      return refuse(Pid, "has ended, or runs another program now (" +
                             F.message() + ")");
    return refuse(Pid, "could not be changed (" + F.message() + ")");
  });
}

} // namespace tpctl
