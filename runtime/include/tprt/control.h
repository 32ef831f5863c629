/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Lets tools of the same user see and steer this process while it runs: list its
 * functions and points, count, time, print and record them. docs/reference/control.md is the
 * guide; tpctl(1) is such a tool. What tprt.h says of all its functions holds here,
 * too.
 */
#ifndef TPRT_CONTROL_H
#define TPRT_CONTROL_H

#include "tprt/tprt.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Starts the control of this process: two threads that take no signals, and a Unix
 * socket that only the same user and root can connect to. Nothing else is changed
 * until a tool asks. Does nothing where control was started already. A child of
 * fork() has a control of its own; a program that is run by exec has none, unless
 * TPRT_OPTIONS says control=1. OK, IN_HANDLER, NO_MEMORY (no thread can be started),
 * NO_FILE (no socket can be made; tprt_error_string() says where and why),
 * UNSUPPORTED. */
TPRT_API tprt_status tprt_control_start(void);

/* Ends the control: takes off what tools have attached, closes their connections and
 * the socket, and waits for both threads. OK also where there is no control.
 * PENDING: a thread is still in a handler; what was attached gets no more hits. */
TPRT_API tprt_status tprt_control_stop(void);

#ifdef __cplusplus
}
#endif

#endif
