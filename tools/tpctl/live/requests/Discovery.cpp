// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Discovery.h.

#include "Discovery.h"

#include "shared/Processes.h"
#include "shared/RootFolder.h"
#include "tprt/control_wire.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <fcntl.h>
#include <fstream>
#include <set>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

using namespace llvm;

namespace tpctl {
namespace {

/// The inodes of a thread's sockets.
std::set<std::string> socketsOf(const std::string &Folder,
                                std::error_code &Code) {
  std::set<std::string> Found;
  for (sys::fs::directory_iterator It(Folder, Code, /*follow=*/false), End;
       It != End && !Code; It.increment(Code)) {
    char Target[64] = "";
    if (readlink(It->path().c_str(), Target, sizeof Target - 1) < 0)
      continue; // closed meanwhile
    StringRef Inode = Target;
    if (Inode.consume_front("socket:[") && Inode.consume_back("]"))
      Found.insert(Inode.str());
  }
  return Found;
}

/// A file of the thread in /proc. The control's thread keeps its mount and
/// network namespaces, even if another thread of the process enters other
/// namespaces.
std::string threadPath(pid_t Pid, pid_t Thread, const Twine &After) {
  return procPath(Pid, "task/" + Twine(Thread) + "/" + After);
}

/// The path of the listening socket among these sockets.
std::optional<std::string> listening(pid_t Pid, pid_t Thread,
                                     const std::set<std::string> &Inodes) {
  constexpr StringLiteral Listens = "00010000"; // of the column Flags
  std::ifstream In(threadPath(Pid, Thread, "net/unix"));
  for (std::string Line; std::getline(In, Line);) {
    SmallVector<StringRef, 8> Fields;
    StringRef(Line).split(Fields, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
    if (Fields.size() == 8 && Fields[3] == Listens &&
        Inodes.count(Fields[6].str()))
      return Fields[7].str();
  }
  return std::nullopt;
}

std::string userOf(pid_t Pid) {
  return StringRef(statusField(Pid, "Uid")).split('\t').first.str();
}

/// The reason why the socket of a running control cannot be reached.
std::string whyGone(int Reason) {
  std::string Text = strerror(Reason);
  return Reason == ENOENT
             ? Text + "; it was removed since, and the process makes no other "
                      "one until it is started anew"
             : Text;
}

Error notToBeLookedAt(pid_t Pid, std::error_code Code) {
  std::string User = userOf(Pid);
  if (!User.empty() && User != std::to_string(geteuid()))
    return createStringError("process " + Twine(Pid) + " is of user " + User +
                             ": run tpctl as this user or as root");
  return createStringError(
      "process " + Twine(Pid) +
      ": its threads cannot be inspected: " + Code.message() +
      " (has it given up rights since its start? run "
      "tpctl as root)");
}

/// While this object exists, root acts as the user of a process in another user
/// namespace. This is needed because the process asks the kernel which user
/// connects, and root may have no user number in the process's namespace.
class AsUserOf {
public:
  explicit AsUserOf(pid_t Pid) {
    uid_t User = 0;
    if (geteuid() != 0 ||
        namespaceOf("/proc/self/") == namespaceOf(procPath(Pid, "")) ||
        !to_integer(effectiveUserOf(Pid), User, 10))
      return;
    // Changes only this thread; the library's seteuid() changes all threads.
    Changed = syscall(SYS_setresuid, Same, User, Same) == 0;
  }
  ~AsUserOf() {
    if (Changed && syscall(SYS_setresuid, Same, 0, Same) == 0)
      prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
  }
  AsUserOf(const AsUserOf &) = delete;

private:
  static std::string namespaceOf(const Twine &Folder) {
    char Name[64] = "";
    std::string Path = (Folder + "ns/user").str();
    return readlink(Path.c_str(), Name, sizeof Name - 1) < 0 ? "" : Name;
  }
  static std::string effectiveUserOf(pid_t Pid) {
    SmallVector<StringRef, 4> Users; // real, effective, saved, of files
    std::string Field = statusField(Pid, "Uid");
    StringRef(Field).split(Users, '\t');
    return Users.size() == 4 ? Users[1].str() : "";
  }

  static constexpr uid_t Same = ~uid_t{0};
  bool Changed = false;
};

} // namespace

Expected<std::optional<ControlSocket>> findSocket(pid_t Pid) {
  char State = stateOf(Pid);
  if (!State)
    return createStringError("there is no process " + Twine(Pid));
  if (State == 'Z' || State == 'X')
    return createStringError(
        "process " + Twine(Pid) +
        " has ended, and its parent has not waited for it yet");
  if (statusField(Pid, "VmSize").empty())
    return createStringError("process " + Twine(Pid) + " " +
                             whyWithoutMemory(Pid));
  std::error_code Code;
  pid_t Thread = threadNamed(Pid, TPRT_CONTROL_THREAD_NAME, Code);
  if (!Thread && !Code)
    return std::nullopt;
  std::set<std::string> Inodes;
  if (!Code)
    Inodes = socketsOf(threadPath(Pid, Thread, "fd"), Code);
  if (Code)
    return notToBeLookedAt(Pid, Code);
  auto Path = listening(Pid, Thread, Inodes);
  if (!Path)
    return std::nullopt;
  return ControlSocket{Pid, Thread, *Path};
}

Expected<int> openFolder(const ControlSocket &Socket) {
  std::string Folder = sys::path::parent_path(Socket.Path).str();
  std::string Root = threadPath(Socket.Pid, Socket.Thread, "root");
  int At = openFolderIn(Root, Folder);
  if (At < 0 && errno == ENOSYS)
    At = open((Root + Folder).c_str(), O_PATH | O_CLOEXEC);
  if (At < 0) // the process has changed its root
    At = open(Folder.c_str(), O_PATH | O_CLOEXEC);
  if (At < 0)
    return createStringError("process " + Twine(Socket.Pid) +
                             ": the folder of its socket " + Socket.Path +
                             " cannot be entered: " + whyGone(errno));
  return At;
}

Expected<int> connectTo(const ControlSocket &To) {
  auto At = openFolder(To);
  if (!At)
    return At.takeError();
  // The path goes through a descriptor, because it may be too long for a
  // socket's address.
  sockaddr_un Address = {AF_UNIX, {}};
  snprintf(Address.sun_path, sizeof Address.sun_path, "/proc/self/fd/%d/%s",
           *At, sys::path::filename(To.Path).str().c_str());
  int Socket = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  AsUserOf User(To.Pid);
  int Status =
      connect(Socket, reinterpret_cast<sockaddr *>(&Address), sizeof Address);
  int Reason = errno;
  close(*At);
  if (Status == 0)
    return Socket;
  close(Socket);
  return createStringError("process " + Twine(To.Pid) + ": its socket " +
                           To.Path +
                           " gives no connection: " + whyGone(Reason));
}

} // namespace tpctl
