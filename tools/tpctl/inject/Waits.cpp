// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Waits.h, and "Interruption of system calls" in signal(7). Two kinds of
// calls are not listed: calls that could return less because of a stop (write,
// recv with MSG_WAITALL), and calls that the allocator makes.

#include "Waits.h"

#include "shared/Processes.h"
#include <cerrno>
#include <fstream>
#include <linux/futex.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

using namespace llvm;

namespace tpctl {
namespace {

/// On a socket with a time limit, the call returns EINTR.
Wait waitAt(pid_t Pid, uint64_t File) {
  int Process = openFilesOf(Pid);
  if (Process < 0)
    return Wait::Unsuitable;
  int Copy = static_cast<int>(syscall(SYS_pidfd_getfd, Process, File, 0));
  close(Process);
  if (Copy < 0)
    return Wait::Unsuitable;
  timeval Limit{};
  socklen_t Bytes = sizeof Limit;
  int Status = getsockopt(Copy, SOL_SOCKET, SO_RCVTIMEO, &Limit, &Bytes);
  bool IsSocket = Status == 0 || errno != ENOTSOCK;
  close(Copy);
  return IsSocket && (Limit.tv_sec || Limit.tv_usec) ? Wait::RepeatsWithLimit
                                                     : Wait::GoesOn;
}

/// Recognises locks by the value of the word they wait on. Condition variables,
/// semaphores and joins wait on other values. In glibc, the word of a lock is
/// 2. In musl, its highest bit is set; for a stream's lock, the bit below. (In
///    some versions of musl, semaphores have the same values as locks.)
bool isOfLock(CLibrary Kind, uint32_t Value) {
  constexpr uint32_t Contended = 2, Highest = 3u << 30;
  return Kind == CLibrary::Musl ? Value & Highest : Value == Contended;
}

Wait futexWait(const CallOfThread &Call, CLibrary Kind) {
  uint64_t Operation = Call.Arguments[1] & FUTEX_CMD_MASK;
  bool IsWait = Operation == FUTEX_WAIT || Operation == FUTEX_WAIT_BITSET;
  bool IsLock = isOfLock(Kind, static_cast<uint32_t>(Call.Arguments[2]));
  return IsWait && !IsLock ? Wait::GoesOn : Wait::Unsuitable;
}

Wait limited(bool HasLimit) {
  return HasLimit ? Wait::RepeatsWithLimit : Wait::Repeats;
}

Wait receiving(pid_t Pid, const CallOfThread &Call, uint64_t Flags) {
  return Flags & MSG_WAITALL ? Wait::Unsuitable
                             : waitAt(Pid, Call.Arguments[0]);
}

} // namespace

std::optional<CallOfThread> callOf(pid_t Pid, pid_t Thread, int &Code) {
  std::string Path =
      ("/proc/" + Twine(Pid) + "/task/" + Twine(Thread) + "/syscall").str();
  errno = 0;
  std::ifstream In(Path);
  std::string Line;
  if (!std::getline(In, Line)) {
    Code = errno;
    return std::nullopt;
  }
  CallOfThread C{};
  auto &A = C.Arguments;
  long long Number = -1;
  if (sscanf(Line.c_str(),
             "%lld 0x%lx 0x%lx 0x%lx 0x%lx 0x%lx 0x%lx 0x%lx 0x%lx", &Number,
             &A[0], &A[1], &A[2], &A[3], &A[4], &A[5], &C.Stack,
             &C.Place) != 9 ||
      Number < 0)
    return std::nullopt;
  C.Number = static_cast<uint64_t>(Number);
  return C;
}

ThreadTimes timesOf(pid_t Pid, pid_t Thread) {
  std::ifstream In(
      ("/proc/" + Twine(Pid) + "/task/" + Twine(Thread) + "/stat").str());
  std::string Line;
  ThreadTimes Times;
  // After the name, which may contain any character: the state, ten numbers,
  // and the times.
  if (std::getline(In, Line) && Line.find(')') != Line.npos)
    sscanf(Line.c_str() + Line.rfind(')') + 1,
           " %*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %lu %lu",
           &Times.Outside, &Times.InKernel);
  return Times;
}

Wait waitOf(pid_t Pid, const CallOfThread &Call, CLibrary Kind, bool Alien) {
  auto *A = Call.Arguments;
  switch (Call.Number) {
  case SYS_poll:
  case SYS_ppoll:
  case SYS_select:
  case SYS_pselect6:
  case SYS_wait4:
  case SYS_waitid:
  case SYS_pause:
  case SYS_rt_sigsuspend:
  case SYS_msgrcv:
  case SYS_flock:
    return Wait::GoesOn;
  case SYS_nanosleep:
  case SYS_clock_nanosleep:
  case SYS_restart_syscall: // one of the above or below, after another stop
    return Alien ? Wait::Unsuitable : Wait::GoesOn;
  case SYS_futex:
    return Alien ? Wait::Unsuitable : futexWait(Call, Kind);
  case SYS_read:
  case SYS_readv:
  case SYS_accept:
  case SYS_accept4:
    return waitAt(Pid, A[0]);
  case SYS_recvfrom:
    return receiving(Pid, Call, A[3]);
  case SYS_recvmsg:
    return receiving(Pid, Call, A[2]);
  case SYS_epoll_wait:
  case SYS_epoll_pwait:
    return limited(static_cast<int32_t>(A[3]) >= 0);
  case SYS_epoll_pwait2:
    return limited(A[3] != 0);
  case SYS_rt_sigtimedwait:
    return limited(A[2] != 0);
  default:
    return Wait::Unsuitable;
  }
}

} // namespace tpctl
