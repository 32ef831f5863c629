// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See progress.h.
#include "control/progress.h"
#include "control/message.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace tprt {

// Makes the number of another process's clock as clock_getcpuclockid(3) does:
// CPUCLOCK_SCHED is 2 (linux/posix-timers.h).
uint64_t processorTime(int32_t pid) {
  timespec time{};
  auto clock = static_cast<clockid_t>(~static_cast<uint32_t>(pid) << 3 | 2);
  if (pid <= 0 || syscall(SYS_clock_gettime, clock, &time) != 0)
    return 0;
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<uint64_t>(time.tv_nsec);
}

bool isLaterPage(const char *bytes, size_t count) {
  Request request(bytes, count);
  tprt_control_head head;
  if (!request.take(head))
    return false;
  if (head.type == TPRT_CONTROL_LIST) {
    tprt_control_list asked;
    return request.take(asked) && asked.from;
  }
  tprt_control_read asked;
  return (head.type == TPRT_CONTROL_COUNTS ||
          head.type == TPRT_CONTROL_TIMES) &&
         request.take(asked) && (asked.from || asked.from_row);
}

} // namespace tprt
