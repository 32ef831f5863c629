// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How to declare a variable that another file of this library defines.
#ifndef TPRT_BASE_VISIBILITY_H
#define TPRT_BASE_VISIBILITY_H

// For the declaration of a variable that another file defines: its address is
// then not read from the GOT. -fvisibility=hidden does not do this, because it
// applies to definitions only.
#define TPRT_HIDDEN __attribute__((visibility("hidden")))

// For thread-local variables that hits read. Other variables may have another
// TLS model. The libtprt.so for musl uses dynamic TLS throughout: an access
// calls a function of musl that preserves all registers. This function has no
// entry in .eh_frame, so it cannot be probed.
#ifdef TPRT_DYNAMIC_TLS
#define TPRT_IN_HITS
#else
#define TPRT_IN_HITS __attribute__((tls_model("initial-exec")))
#endif

#endif
