// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Children.h.

#include "Children.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

using namespace llvm;

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
  for (;;) {
    int File = accept4(Listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (File >= 0)
      Starting.push_back(File);
    else if (errno != EINTR && errno != ECONNABORTED)
      return;
  }
}

bool Children::expectsOne() {
  if (Listener >= 0)
    accept();
  return !Starting.empty();
}

std::unique_ptr<Connection> Children::next(uint32_t Flags) {
  if (Listener >= 0)
    accept();
  for (size_t I = 0; I != Starting.size();) {
    pollfd Ready = {Starting[I], POLLIN | POLLRDHUP, 0};
    if (poll(&Ready, 1, 0) <= 0) {
      ++I;
      continue;
    }
    pid_t Pid = receiveFrom(Starting[I]);
    close(Starting[I]);
    Starting.erase(Starting.begin() + static_cast<ptrdiff_t>(I));
    // A process that could not start its control continues without it.
    if (!Pid)
      continue;
    auto C = Connection::open(Pid, Flags);
    if (C)
      return std::move(*C);
    consumeError(C.takeError()); // it was killed meanwhile
  }
  return nullptr;
}

void Children::end() {
  if (Listener < 0)
    return;
  // connect(2) fails from now on; those that have connected are accepted.
  shutdown(Listener, SHUT_RD);
  accept();
  close(std::exchange(Listener, -1));
  while (!Starting.empty()) {
    if (auto C = next(/*Flags=*/0)) {
      C->goOn();
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
