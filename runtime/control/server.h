// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The control has two threads:
//
//   tprt-control  owns the socket and the connections. It has its own table of
//                 descriptors. So a program that closes all its descriptors
//                 does not end the control, and a program that counts its
//                 descriptors does not see the control's.
//   tprt-work     carries out the requests, one at a time, with the program's
//                 table of descriptors: a recording's file, for example, has to
//                 be open there. (dispatch.h and the files that it calls)
//
// Only the work thread uses the data of probe_groups.cpp, list_sites.cpp and
// recording_requests.cpp, so these files need no lock.
#ifndef TPRT_CONTROL_SERVER_H
#define TPRT_CONTROL_SERVER_H

namespace tprt {

// What the control thread does, from its start to its end.
void controlThread();

} // namespace tprt

#endif
