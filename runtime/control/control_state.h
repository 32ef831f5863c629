// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the files of the control have in common. Two threads carry it:
//
//   tprt-control  owns the socket and the connections. It has a table of
//                 descriptors of its own, so a program that closes all its
//                 descriptors does not end the control, and a program that
//                 counts descriptors does not see it. (server.cpp)
//   tprt-work     carries out the requests, one at a time, with the program's
//                 table of descriptors: a recording's file, for example, has to
//                 be open there. (dispatch.cpp and the files that it calls)
//
// Only the work thread uses what probe_groups.cpp, list_sites.cpp and
// recording_requests.cpp keep, so these need no lock of their own.
#ifndef TPRT_CONTROL_CONTROL_STATE_H
#define TPRT_CONTROL_CONTROL_STATE_H

#include "base/array.h"
#include "threads/component.h"
#include "tprt/control_wire.h"
#include "tprt/tprt.h"

namespace tprt {

constexpr unsigned kMostClients = 16;

// One tool's connection, as requests see it. All zero: there is none.
struct Client {
  bool greeted;
  bool awaits;            // The process is to wait for it at its end.
  uint32_t went;          // The last end at which it has said GO, from 1.
  int32_t pid;            // The tool's process; 0: it is not visible from here.
  uint32_t number;        // Of this connection alone, from 1.
  Array<uint32_t> listed; // The sites of the last LIST.
};

// --- dispatch.cpp: on the work thread ----------------------------------------

// Carries out the request of `bytes` bytes, and writes the answer, which has at
// most TPRT_CONTROL_MOST_BYTES bytes. Returns its length. Any bytes may be
// given.
size_t answerRequest(Client &client, const char *request, size_t bytes,
                     char *answer);
// The connection has ended: takes off what it attached and did not want to
// keep.
void endClient(Client &client);
// Continues with what could not be ended at once. False: nothing is left to do.
bool tidy();
// Ends everything that tools have attached, also what was to be kept. False: a
// thread is still in a handler.
bool endAll();
// In a child of fork(): what other processes' tools had attached in the parent
// is taken off. On the work thread, or on the thread that forks if the child
// gets no control.
void startRequests();

// What HELLO tells: changes with each start of the control.
extern uint64_t controlInstance TPRT_HIDDEN;

// --- server.cpp --------------------------------------------------------------

// The fork handlers and the option control=N of TPRT_OPTIONS use this. N of 2
// and more: a tool with this number is to look at this process. If it is the
// parent, the process waits, before main(), until the tool has said GO, as long
// as tools make progress. If it is not, nobody looks at this process, and no
// control starts.
tprt_status startControl(uint32_t tool);
// The tool has said GO. On the work thread.
void releaseStart();
// Another tool is to be waited for at the end; a tool has said GO there, or
// has gone away. On the work thread.
void beginAwaiting(Client &client);
void noteGone(Client &client);
void endAwaiting(Client &client);
// What readings tell of an end at which the process waits: 0, or of enum
// tprt_control_read_flags.
uint32_t endFlags();
// Called when the process ends by exit, _exit or quick_exit: waits until all
// tools that want it have said GO, as long as they make progress. Then takes
// the socket's file away. Async-signal-safe.
void controlLeave();
// The same where the process is about to become another program. It may go on
// all the same: then tools are waited for again at the next such place.
// Async-signal-safe.
void controlPause();
// In a child of fork(), where all atfork handlers have run: starts the control
// again if the program or its user asked for it. If a tool did, what it has
// attached is taken off.
void controlAfterFork();

} // namespace tprt

#endif
