// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The listening socket, and who may connect to it. On the control thread.
#ifndef TPRT_CONTROL_SOCKET_H
#define TPRT_CONTROL_SOCKET_H

#include "tprt/tprt.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/un.h>

namespace tprt {

// The socket's path. Written before the socket exists.
struct SocketPath {
  sockaddr_un address;
  const char *text() const { return address.sun_path; }
};

// Gives the calling thread a separate, empty table of descriptors. Returns
// false, with errno, if the system does not permit that.
bool leaveDescriptors();
// Makes the folder and the socket, and listens. If the result is -1, `why` says
// what failed.
int listenAt(SocketPath &path, uint64_t instance, char *why, size_t bytes);
// Returns the next connection of the same user or of root, with its process in
// `pid` (0: not visible from here). Returns -1 if there is none, or if it was
// refused.
int acceptTool(int listener, int32_t &pid);

} // namespace tprt

#endif
