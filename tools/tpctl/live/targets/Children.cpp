// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Children.h.

#include "Children.h"

#include "shared/Launch.h"
#include "shared/Processes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

using namespace llvm;
using std::chrono::steady_clock;

namespace tpctl {

Expected<std::unique_ptr<Children>> Children::listen() {
  // Not in TMPDIR: the path must fit into a socket's address, and must not
  // contain a space.
  char Folder[] = "/tmp/tpctl-XXXXXX";
  if (!mkdtemp(Folder))
    return createStringError("--children: no folder can be made in /tmp: " +
                             Twine(strerror(errno)));
  std::string Path = std::string(Folder) + "/children";
  sockaddr_un Address = {AF_UNIX, {}};
  memcpy(Address.sun_path, Path.c_str(), Path.size() + 1);
  int File = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const int Wanted = 1; // also for the connections
  if (File < 0 ||
      setsockopt(File, SOL_SOCKET, SO_PASSCRED, &Wanted, sizeof Wanted) < 0 ||
      bind(File, reinterpret_cast<sockaddr *>(&Address), sizeof Address) < 0 ||
      ::listen(File, SOMAXCONN) < 0) {
    int Reason = errno;
    close(File);
    rmdir(Folder);
    return createStringError("--children: no socket can be made at " + Path +
                             ": " + strerror(Reason));
  }
  return std::unique_ptr<Children>(new Children(File, Path));
}

Children::~Children() { end(); }

void Children::addFiles(std::vector<pollfd> &To) const {
  if (steady_clock::now() >= Resting)
    To.push_back({Listener, POLLIN, 0});
  for (int File : Starting)
    To.push_back({File, POLLIN | POLLRDHUP, 0});
}

/// The sender of a message. Returns 0 if there is none that tpctl can see.
static pid_t receiveFrom(int File) {
  char Byte;
  iovec To = {&Byte, 1};
  alignas(cmsghdr) char Space[CMSG_SPACE(sizeof(ucred))];
  msghdr Message{};
  Message.msg_iov = &To;
  Message.msg_iovlen = 1;
  Message.msg_control = Space;
  Message.msg_controllen = sizeof Space;
  if (recvmsg(File, &Message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) != 1)
    return 0;
  const cmsghdr *About = CMSG_FIRSTHDR(&Message);
  if (!About || About->cmsg_type != SCM_CREDENTIALS)
    return 0;
  ucred Sender{};
  memcpy(&Sender, CMSG_DATA(About), sizeof Sender);
  return Sender.pid;
}

void Children::accept() {
  while (Listener >= 0 && steady_clock::now() >= Resting) {
    int File = accept4(Listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (File >= 0)
      Starting.push_back(File);
    else if (errno == EMFILE || errno == ENFILE)
      rest();
    else if (errno != EINTR && errno != ECONNABORTED)
      return;
  }
}

/// Those that wait for tpctl wait a little longer.
void Children::rest() {
  Resting = steady_clock::now() + std::chrono::milliseconds(100);
  LacksFiles = true;
}

/// A connection is made by way of files in /proc.
static bool hasSpareFiles() {
  std::vector<int> Files;
  constexpr size_t Enough = 8;
  int File = 0;
  while (Files.size() != Enough && (File = dup(STDERR_FILENO)) >= 0)
    Files.push_back(File);
  for (int F : Files)
    close(F);
  return File >= 0;
}

bool Children::expectsOne() {
  accept();
  return !Starting.empty() || !Waiting.empty();
}

/// Finds the processes whose control runs now. A process that could not start
/// its control continues without it.
void Children::receive() {
  for (size_t I = 0; I != Starting.size();) {
    pollfd Ready = {Starting[I], POLLIN | POLLRDHUP, 0};
    if (poll(&Ready, 1, 0) <= 0) {
      ++I;
      continue;
    }
    if (pid_t Pid = receiveFrom(Starting[I])) {
      Unannounced.erase(Pid);
      Waiting.push_back(Pid);
    }
    close(Starting[I]);
    Starting.erase(Starting.begin() + static_cast<ptrdiff_t>(I));
  }
}

Expected<std::unique_ptr<Connection>> Children::next(uint32_t Flags) {
  accept();
  receive();
  while (!Waiting.empty() && hasSpareFiles()) {
    pid_t Pid = Waiting.front();
    Waiting.pop_front();
    auto C = Connection::open(Pid, Flags);
    if (C)
      return C;
    Error E = C.takeError();
    if (!E.isA<ProcessEnded>() && !hasAllEnded(Pid))
      return E;
    consumeError(std::move(E));
    ++Missed;
  }
  if (!Waiting.empty())
    rest();
  if (LacksFiles && !std::exchange(HasToldFiles, true))
    return createStringError(
        "--children: tpctl has too many open files, two for each process; "
        "other processes wait for some seconds until one has ended, and later "
        "their first calls are missing: raise the limit, for example by "
        "'ulimit -n 4096'");
  return nullptr;
}

/// A program without libtprt announces nothing.
bool Children::isExpected(pid_t Pid) {
  return !hasAllEnded(Pid) &&
         Unannounced.try_emplace(Pid, Pid).first->second.elapsed() <
             std::chrono::seconds(5) &&
         whyNotLoaded(procPath(Pid, "exe")).empty();
}

bool Children::mayAnnounce(ArrayRef<std::unique_ptr<Connection>> Observed) {
  // While a process is starting a program, it has no environment.
  // The time of each process that may follow begins now.
  bool May = false;
  for (pid_t Pid : to_vector(make_first_range(Unannounced)))
    May |= isExpected(Pid);
  const std::string Option = "tool=" + Path;
  for (pid_t Pid : allProcesses()) {
    if (any_of(Observed, [&](auto &C) { return C->pid() == Pid; }))
      continue;
    auto Environment = MemoryBuffer::getFileAsStream(procPath(Pid, "environ"));
    May |= Environment && (*Environment)->getBuffer().contains(Option) &&
           isExpected(Pid);
  }
  return May;
}

void Children::end() {
  if (Listener < 0)
    return;
  // connect(2) fails from now on; those that have connected are accepted.
  shutdown(Listener, SHUT_RD);
  Resting = {};
  accept();
  close(std::exchange(Listener, -1));
  while (expectsOne()) {
    auto C = next(/*Flags=*/0);
    if (!C) {
      consumeError(C.takeError());
      continue;
    }
    if (*C) {
      (*C)->goOn();
      continue;
    }
    std::vector<pollfd> Files;
    addFiles(Files);
    // A stopped process is left alone.
    if (poll(Files.data(), Files.size(), /*ms=*/500) <= 0)
      break;
  }
  for (int File : Starting)
    close(File);
  Starting.clear();
  unlink(Path.c_str());
  rmdir(sys::path::parent_path(Path).str().c_str());
}

} // namespace tpctl
