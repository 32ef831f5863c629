// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See own.h.
#include "os/linux/own.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

namespace tprt {

namespace {
class OwnPath {
public:
  explicit OwnPath(const char *name) {
    char one;
    int saved = errno;
    // proc(5): the link cannot be read if the main thread has ended.
    bool ended = readlink("/proc/self/exe", &one, 1) < 0 && errno == ENOENT;
    errno = saved;
    *stpcpy(stpcpy(text, ended ? "/proc/thread-self/" : "/proc/self/"), name) =
        0;
  }
  char text[32];
};
} // namespace

int openOwn(const char *name, int flags) {
  return open(OwnPath(name).text, flags | O_CLOEXEC);
}

ssize_t readOwnLink(const char *name, char *target, size_t bytes) {
  return readlink(OwnPath(name).text, target, bytes);
}

} // namespace tprt
