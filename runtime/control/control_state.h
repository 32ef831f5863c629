// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declarations that the files of the control share. The control has two
// threads:
//
//   tprt-control  owns the socket and the connections. It has a table of
//                 descriptors of its own, so a program that closes all its
//                 descriptors does not end the control, and a program that
//                 counts descriptors does not see it. (server.cpp)
//   tprt-work     carries out the requests, one at a time, with the program's
//                 table of descriptors: a recording's file, for example, has to
//                 be open there. (dispatch.cpp and the files that it calls)
//
// Only the work thread uses the data of probe_groups.cpp, list_sites.cpp and
// recording_requests.cpp, so these files need no lock.
#ifndef TPRT_CONTROL_CONTROL_STATE_H
#define TPRT_CONTROL_CONTROL_STATE_H

#include "base/array.h"
#include "threads/component.h"
#include "tprt/control_wire.h"
#include "tprt/tprt.h"

namespace tprt {

constexpr unsigned kMostClients = 16;

// One tool's connection, as requests see it. All members zero: no connection.
struct Client {
  bool greeted;
  bool awaits;            // The process is to wait for this tool at its end.
  uint32_t went;          // The number, from 1, of the last end at which the
                          // tool sent GO.
  int32_t pid;            // The tool's process; 0: it is not visible from here.
  uint32_t number;        // The connection's unique number, from 1.
  Array<uint32_t> listed; // The sites of its last LIST.
};

// --- dispatch.cpp: on the work thread ----------------------------------------

// Executes the request of `bytes` bytes, and writes the answer, which has at
// most TPRT_CONTROL_MOST_BYTES bytes. Returns the answer's length. The request
// may contain any bytes.
size_t answerRequest(Client &client, const char *request, size_t bytes,
                     char *answer);
// Called when the connection has ended: detaches what it attached and did not
// ask to keep.
void endClient(Client &client);
// Continues with what could not be ended at once. Returns false if nothing is
// left to do.
bool tidy();
// Ends everything that tools have attached, including what was to be kept.
// Returns false if a thread is still in a handler.
bool endAll();
// In a child of fork(): detaches what tools had attached in the parent. On the
// work thread, or on the forking thread if the child gets no control.
void startRequests();

// Part of the answer to HELLO; changes with each start of the control.
extern uint64_t controlInstance TPRT_HIDDEN;

// --- server.cpp --------------------------------------------------------------

// Used by the fork handlers and the option control=N of TPRT_OPTIONS. If N is 2
// or more, it is the process number of the tool that is to look at this
// process. If that tool is the parent, the process waits before main() until
// the tool has sent GO, as long as tools make progress. If it is not the
// parent, no tool looks at this process, and no control starts.
tprt_status startControl(uint32_t tool);
// Called when the tool has sent GO. On the work thread.
void releaseStart();
// beginAwaiting(): the process is to wait for one more tool at its end. The
// others: a tool has sent GO there, or has gone away. On the work thread.
void beginAwaiting(Client &client);
void noteGone(Client &client);
void endAwaiting(Client &client);
// The flags that readings have while the process waits at an end: 0, or values
// of enum tprt_control_read_flags.
uint32_t endFlags();
// Called when the process ends by exit, _exit or quick_exit. Waits until all
// tools that asked for this have sent GO, as long as they make progress. Then
// removes the socket's file. Async-signal-safe.
void controlLeave();
// The same if the process is about to run another program (exec). If that
// fails, the process continues, and waits for tools again the next time.
// Async-signal-safe.
void controlPause();
// In a child of fork(), after all atfork handlers. If the program or its user
// asked for the control, starts it again. If a tool asked for it, detaches what
// the tool has attached.
void controlAfterFork();

} // namespace tprt

#endif
