/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Lets tools of the same user watch and control this process while it runs. Such tools list
 * its functions and points, and count, time, print and record them.
 * docs/reference/control.md is the guide; tpctl(1) is such a tool. The rules that tprt.h
 * states for all its functions apply here, too.
 */
#ifndef TPRT_CONTROL_H
#define TPRT_CONTROL_H

#include "tprt/tprt.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Starts the control of this process: two threads that block all signals, and a Unix
 * socket. Only the same user and root can connect to the socket. Nothing else
 * changes until a tool sends a request. If control was already started, the call
 * does nothing. A child of fork() has its own control. A program that is run by exec
 * has no control, unless TPRT_OPTIONS contains control=1. Returns OK, IN_HANDLER,
 * NO_MEMORY (no thread can be started), NO_FILE (no socket can be created;
 * tprt_error_string() tells where and why), or UNSUPPORTED. */
TPRT_API tprt_status tprt_control_start(void);

/* Ends the control: detaches the probes that tools attached, closes the tools'
 * connections and the socket, and waits for both threads. Returns OK also if there
 * is no control. Returns PENDING if a thread is still in a handler. The detached
 * probes get no more hits even then. */
TPRT_API tprt_status tprt_control_stop(void);

#ifdef __cplusplus
}
#endif

#endif
