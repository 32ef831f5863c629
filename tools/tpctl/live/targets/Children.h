// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The processes that a command starts, with --children. Each of them connects
// to a socket of tpctl before its main(), or before fork() returns in it, and
// waits for tpctl. Used on the main thread.

#ifndef TPCTL_LIVE_TARGETS_CHILDREN_H
#define TPCTL_LIVE_TARGETS_CHILDREN_H

#include "live/requests/Connection.h"
#include "shared/FairClock.h"
#include <deque>
#include <map>
#include <poll.h>
#include <vector>

namespace tpctl {

class Children {
public:
  /// Listens in a new folder, which only this user can enter.
  static llvm::Expected<std::unique_ptr<Children>> listen();
  /// Lets the processes that wait continue, and removes the folder.
  ~Children();
  Children(const Children &) = delete;

  /// The path of the socket, for TPRT_OPTIONS=tool=PATH.
  const std::string &path() const { return Path; }
  /// Adds the descriptors to wait for. When one of them is ready, there may be
  /// a next process.
  void addFiles(std::vector<pollfd> &To) const;
  /// Whether a process is starting its control.
  bool expectsOne();
  /// Connects to the next process that waits. Returns nullptr if there is none.
  /// An error is about one process, which continues unobserved.
  llvm::Expected<std::unique_ptr<Connection>> next(uint32_t Flags);
  /// A process that has started another program will announce itself again.
  void expect(pid_t Pid) { Unannounced.try_emplace(Pid, Pid); }
  /// Whether a process may still announce itself: it was started with the
  /// socket's path, and is none of these processes. This reads the environment
  /// of each process of the machine.
  bool mayAnnounce(llvm::ArrayRef<std::unique_ptr<Connection>> Observed);
  /// The processes that had ended before next() could connect to them.
  uint64_t missed() const { return Missed; }
  /// From now on, processes do not announce themselves. Those that wait
  /// continue.
  void end();

private:
  Children(int Listener, std::string Path)
      : Listener(Listener), Path(std::move(Path)) {}
  void accept();
  void receive();
  void rest();
  bool isExpected(pid_t Pid);

  int Listener; ///< -1 after the end
  std::string Path;
  /// Connections of processes, each open until the control of its process runs.
  std::vector<int> Starting;
  std::deque<pid_t> Waiting; ///< for a connection
  /// Processes that have not announced themselves, since that was noticed.
  std::map<pid_t, FairClock> Unannounced;
  /// While tpctl has no descriptor to spare, it does not accept.
  std::chrono::steady_clock::time_point Resting;
  bool LacksFiles = false, HasToldFiles = false;
  uint64_t Missed = 0;
};

} // namespace tpctl

#endif
