// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the files of the control's two threads share: server.cpp (the control
// thread), work_thread.cpp, and server_start.cpp (start and stop). No other
// file includes it.
//
// The control thread waits for messages. It hands each request to the work
// thread, and waits for the answer; so there is one request at a time, and one
// pair of buffers. The two wait for each other by futexes.
#ifndef TPRT_CONTROL_SERVER_THREADS_H
#define TPRT_CONTROL_SERVER_THREADS_H

#include "control/client.h"
#include "control/dispatch.h"
#include "control/socket.h"
#include "tprt/control_wire.h"

#include <stddef.h>
#include <stdint.h>

namespace tprt {

enum State : uint32_t { Off, Starting, On, Stopping };

// A connection. `file` is a descriptor of the control thread's own table.
struct Connection {
  int file;
  Client client;
};

struct Server {
  // Written by one thread and read by the other, when one of the words below
  // says so.
  char request[TPRT_CONTROL_MOST_BYTES + 1], answer[TPRT_CONTROL_MOST_BYTES];
  size_t requestBytes, answerBytes;
  Client *client;
  bool result; // of Tidy and EndAll
  // Used by the control thread alone.
  Connection connections[kMostClients];
  uint32_t count, lastNumber;
  uint64_t tenth;   // when the present tenth of a second began
  uint32_t greeted; // connections in it
  uint32_t unheard; // how many requests may still be heard before the next
  uint32_t heard;   // of tools that the process waits for at its end
  bool untidy;
  bool follows; // The process may give up rights that the threads have.
};

// The state of the control. It belongs to the process with this number; in
// another one it is Off.
struct ControlLife {
  uint32_t state, generation;
  // A word that the starting and the stopping thread wait for by a futex: 1
  // when the control is on, 2 when it has ended.
  uint32_t ready;
  // The program's threads have all ended, so those of the control end as well.
  bool isProgramGone;
  SocketPath path;
  char failure[256]; // why the control thread could not start
};
extern ControlLife life TPRT_HIDDEN;
extern Server *server TPRT_HIDDEN;

} // namespace tprt

#endif
