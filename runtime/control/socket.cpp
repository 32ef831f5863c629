// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See socket.h. The socket is in a folder that only the user may enter:
// $XDG_RUNTIME_DIR/tprt, or /tmp/tprt-UID if that path would be too long (a
// socket's path has at most 107 bytes). The socket has a path because an
// abstract name would be open to every process of the network namespace, which
// another container may share. If a process is killed, its socket's file stays;
// the next process that uses the folder removes such files.
#include "control/socket.h"
#include "base/os_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <sched.h>

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

namespace tprt {

// --- descriptors -------------------------------------------------------------

bool leaveDescriptors() {
  constexpr unsigned kUnshare = 1u << 1; // CLOSE_RANGE_UNSHARE
  if (syscall(SYS_close_range, 0u, ~0u, kUnshare) == 0)
    return true;
  // Linux before 5.9.
  if (errno != ENOSYS || unshare(CLONE_FILES) != 0)
    return false;
  int most = static_cast<int>(sysconf(_SC_OPEN_MAX));
  for (int file = 0; file < (most > 0 ? most : 1024); ++file)
    close(file);
  return true;
}

// --- the folder --------------------------------------------------------------

// Whether this folder belongs to this user, and no other user can enter or
// change it.
static bool isPrivate(const char *folder) {
  struct stat status;
  return lstat(folder, &status) == 0 && S_ISDIR(status.st_mode) &&
         status.st_uid == geteuid() && !(status.st_mode & 077);
}

// Writes the folder's path, and makes the folder. If the result is false, `why`
// says what failed.
static bool makeFolder(char *folder, size_t folderBytes, char *why,
                       size_t bytes) {
  const char *base = secure_getenv("XDG_RUNTIME_DIR");
  if (base && *base == '/' && isPrivate(base) &&
      snprintf(folder, folderBytes, "%s/tprt", base) <
          static_cast<int>(folderBytes) &&
      (mkdir(folder, 0700) == 0 || errno == EEXIST) && isPrivate(folder))
    return true;
  snprintf(folder, folderBytes, "/tmp/tprt-%u", geteuid());
  bool made = mkdir(folder, 0700) == 0;
  if (!made && errno != EEXIST)
    snprintf(why, bytes,
             "the folder %s can't be made: %s; set XDG_RUNTIME_DIR to a folder "
             "of the user's own",
             folder, strerror(errno));
  else if (!isPrivate(folder))
    snprintf(why, bytes,
             "the folder %s is not this user's alone; remove it, or set "
             "XDG_RUNTIME_DIR to a folder of the user's own",
             folder);
  else
    return true;
  return false;
}

static int makeSocket() {
  return raiseDescriptor(
      socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

// Whether the process that made the file certainly exists. A process in another
// PID namespace may exist without being visible. A file with this process's
// number is from its program before an exec, or from another namespace.
static bool isOfKnownProcess(const char *name) {
  long pid = strtol(name, nullptr, 10);
  return pid > 0 && pid != getpid() &&
         (kill(static_cast<pid_t>(pid), 0) == 0 || errno == EPERM);
}

// Removes the files of sockets on which no process listens any more. A
// connection is tried only if there is no other way to know, because a control
// accepts few connections.
static void clean(const char *folder) {
  DIR *entries = opendir(folder);
  if (!entries)
    return;
  unsigned seen = 0;
  while (const dirent *entry = readdir(entries)) {
    sockaddr_un address = {AF_UNIX, {}};
    if (entry->d_name[0] == '.' || ++seen > 256 ||
        isOfKnownProcess(entry->d_name) ||
        snprintf(address.sun_path, sizeof address.sun_path, "%s/%s", folder,
                 entry->d_name) >= static_cast<int>(sizeof address.sun_path))
      continue;
    int file = makeSocket();
    if (file < 0)
      break;
    if (connect(file, reinterpret_cast<sockaddr *>(&address), sizeof address) !=
            0 &&
        errno == ECONNREFUSED)
      unlink(address.sun_path);
    close(file);
  }
  closedir(entries);
}

int listenAt(SocketPath &path, uint64_t instance, char *why, size_t bytes) {
  constexpr size_t kNumbers = sizeof "/-2147483648-ffffffffffffffff";
  char folder[sizeof path.address.sun_path - kNumbers];
  if (!makeFolder(folder, sizeof folder, why, bytes))
    return -1;
  clean(folder);
  path.address.sun_family = AF_UNIX;
  snprintf(path.address.sun_path, sizeof path.address.sun_path, "%s/%d-%llx",
           folder, getpid(), static_cast<unsigned long long>(instance));
  int file = makeSocket();
  if (file >= 0 &&
      bind(file, reinterpret_cast<sockaddr *>(&path.address),
           sizeof path.address) == 0 &&
      chmod(path.text(), 0600) == 0 && listen(file, 16) == 0)
    return file;
  snprintf(why, bytes, "the socket %s can't be made: %s", path.text(),
           strerror(errno));
  if (file >= 0)
    close(file);
  return -1;
}

// --- tools -------------------------------------------------------------------

int acceptTool(int listener, int32_t &pid) {
  int file = raiseDescriptor(
      accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (file < 0)
    return -1;
  ucred who = {};
  socklen_t bytes = sizeof who;
  if (getsockopt(file, SOL_SOCKET, SO_PEERCRED, &who, &bytes) == 0 &&
      (who.uid == geteuid() || who.uid == 0)) {
    pid = who.pid;
    return file;
  }
  close(file);
  return -1;
}

} // namespace tprt
