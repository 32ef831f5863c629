// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See FileLimit.h.

#include "FileLimit.h"

#include <algorithm>
#include <fcntl.h>
#include <sys/resource.h>

using namespace llvm;

namespace tpctl {

Error checkFileLimit(size_t Processes) {
  rlimit Limit;
  if (getrlimit(RLIMIT_NOFILE, &Limit) != 0)
    return Error::success();
  // A process needs two, and one more is needed to look for the next process.
  const size_t Needed = 2 * std::max<size_t>(Processes, 1) + 1;
  size_t Free = 0, Open = 0;
  for (rlim_t File = 0; File != Limit.rlim_max && Free != Needed; ++File)
    ++(fcntl(static_cast<int>(File), F_GETFD) < 0 ? Free : Open);
  if (Free == Needed)
    return Error::success();
  return createStringError(
      "too few open files are allowed: the limit is " + Twine(Limit.rlim_max) +
      ", and tpctl needs " + Twine(Open + Needed) +
      "; 'ulimit -n 1024' as root raises it, or for this shell 'sudo prlimit "
      "--pid $$ --nofile=1024'");
}

void raiseFileLimit() {
  rlimit Limit;
  if (getrlimit(RLIMIT_NOFILE, &Limit) != 0)
    return;
  Limit.rlim_cur = Limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &Limit);
}

} // namespace tpctl
