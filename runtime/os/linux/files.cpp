// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens and reads the files of modules; see base/os_file.h. Any thread calls
// it.
#include "base/os_file.h"
#include "os/linux/proc_self.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tprt {

int openModuleFile(const char *path, bool program, uint64_t *bytes) {
  // A pipe or a terminal may have replaced the file. Opening it must not wait,
  // and must not make it the controlling terminal.
  constexpr int kHow = O_RDONLY | O_NONBLOCK | O_NOCTTY;
  // This link reaches the program's file even if the file was removed.
  int file = program ? openOwn("exe", kHow) : -1;
  if (file < 0)
    file = openRaised(path, kHow);
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
