// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See InjectionLock.h.

#include "InjectionLock.h"

#include "shared/FairClock.h"
#include "llvm/ADT/Twine.h"
#include <cerrno>
#include <cstddef>
#include <poll.h>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>

using namespace llvm;

namespace tpctl {
namespace {

constexpr auto Pause = std::chrono::milliseconds(10);
constexpr int Backlog = 4096; ///< the system's limit is mostly this

class Address {
public:
  explicit Address(pid_t Pid) {
    std::string Name = "tpctl-loads-into-" + std::to_string(Pid);
    Name.copy(Text.sun_path + 1, sizeof Text.sun_path - 1);
    Bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 +
                                   Name.size());
  }
  bool bindTo(int File) const { return bind(File, get(), Bytes) == 0; }
  bool connectTo(int File) const { return connect(File, get(), Bytes) == 0; }

private:
  const sockaddr *get() const {
    return reinterpret_cast<const sockaddr *>(&Text);
  }
  sockaddr_un Text = {AF_UNIX, {}};
  socklen_t Bytes;
};

int openSocket() {
  return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

/// The tool that has the lock.
class Owner {
public:
  explicit Owner(const Address &Where) : File(openSocket()) {
    socklen_t Bytes = sizeof Who;
    Known = Where.connectTo(File) &&
            getsockopt(File, SOL_SOCKET, SO_PEERCRED, &Who, &Bytes) == 0;
  }
  ~Owner() { close(File); }
  Owner(const Owner &) = delete;

  /// False if the owner has just ended, or does not listen yet.
  bool isKnown() const { return Known; }
  bool isTool() const { return Who.uid == 0 || Who.uid == geteuid(); }
  pid_t number() const { return Who.pid; }
  /// Waits until the owner frees the lock, but not for long.
  void await() const {
    pollfd Ends = {File, POLLIN, 0};
    poll(&Ends, 1, Pause.count());
  }

private:
  const int File;
  bool Known;
  ucred Who = {};
};

Error tooLong(pid_t Pid, pid_t Owner) {
  std::string Other =
      Owner ? "tpctl (" + std::to_string(Owner) + ")" : "another tpctl";
  return createStringError(
      "process " + Twine(Pid) + ": " + Other +
      " has been loading libtprt into it all the time: end that tpctl, or try "
      "again when it is done");
}

} // namespace

Expected<std::unique_ptr<InjectionLock>>
InjectionLock::acquire(pid_t Pid, const Patience &Limits) {
  auto make = [](int File) {
    return std::unique_ptr<InjectionLock>(new InjectionLock(File));
  };
  const Address Where(Pid);
  FairClock Clock(Pid);
  const auto Latest = std::chrono::steady_clock::now() + Limits.Most;
  for (;;) {
    int File = openSocket();
    if (Where.bindTo(File)) {
      listen(File, Backlog);
      return make(File);
    }
    const int Code = errno;
    close(File);
    if (Code != EADDRINUSE)
      return make(-1);
    Owner Other(Where);
    if (Other.isKnown() && !Other.isTool())
      return make(-1);
    if (Clock.elapsed() > Limits.Fair ||
        std::chrono::steady_clock::now() > Latest)
      return tooLong(Pid, Other.number());
    if (Other.isKnown())
      Other.await();
    else
      std::this_thread::sleep_for(Pause);
  }
}

InjectionLock::~InjectionLock() {
  if (File >= 0)
    close(File);
}

} // namespace tpctl
