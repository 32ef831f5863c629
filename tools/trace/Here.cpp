// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Here.h.

#include "Here.h"

#include "llvm/Support/MemoryBuffer.h"
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

using namespace llvm;

namespace tp::trace {

bool isFromHere(const tprt_trace_header &Header) {
  auto Own = MemoryBuffer::getFileAsStream("/proc/sys/kernel/random/boot_id");
  StringRef Theirs(Header.boot_id,
                   strnlen(Header.boot_id, sizeof Header.boot_id));
  return Own && !Theirs.empty() && (*Own)->getBuffer().trim() == Theirs;
}

bool isRunning(uint32_t Pid) {
  auto Id = static_cast<pid_t>(Pid);
  return Id > 0 && (kill(Id, 0) == 0 || errno == EPERM);
}

#if defined(__x86_64__)
static uint64_t nanosecondsOf(clockid_t Which) {
  timespec Now;
  clock_gettime(Which, &Now);
  return static_cast<uint64_t>(Now.tv_sec) * 1'000'000'000 +
         static_cast<uint64_t>(Now.tv_nsec);
}

std::optional<tprt_trace_moment> momentNow(const tprt_trace_header &Header) {
  // The two clocks are not read at the same time.
  constexpr uint64_t LeastSleep = 1'000'000'000;
  uint64_t Monotonic = nanosecondsOf(CLOCK_MONOTONIC);
  if (Header.clock != TPRT_TRACE_CLOCK_TSC ||
      nanosecondsOf(CLOCK_BOOTTIME) > Monotonic + LeastSleep)
    return std::nullopt;
  return tprt_trace_moment{__rdtsc(), nanosecondsOf(CLOCK_MONOTONIC),
                           nanosecondsOf(CLOCK_REALTIME)};
}
#else
// The rate of CNTVCT is in the header.
std::optional<tprt_trace_moment> momentNow(const tprt_trace_header &) {
  return std::nullopt;
}
#endif

} // namespace tp::trace
