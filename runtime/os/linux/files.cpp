// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files of modules, for reading; see core/os.h.
#include "core/os.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tprt {

int openModuleFile(const char *path, bool program, uint64_t *bytes) {
  // What took the file's place may be a pipe or a terminal: not to be waited
  // for, nor to become ours.
  constexpr int kHow = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  // The program's own is reached by this link even when it was removed.
  int file = program ? open("/proc/self/exe", kHow) : -1;
  if (file < 0)
    file = open(path, kHow);
  if (file < 0)
    return -errno;
  struct stat status;
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
    close(file);
    return -EINVAL;
  }
  *bytes = static_cast<uint64_t>(status.st_size);
  return file;
}

bool readFileAt(int file, void *out, size_t bytes, uint64_t offset) {
  auto *to = static_cast<char *>(out);
  while (bytes) {
    ssize_t n = pread(file, to, bytes, static_cast<off_t>(offset));
    if (n <= 0)
      return false;
    to += n;
    offset += static_cast<size_t>(n);
    bytes -= static_cast<size_t>(n);
  }
  return true;
}

void closeFile(int file) { close(file); }

} // namespace tprt
