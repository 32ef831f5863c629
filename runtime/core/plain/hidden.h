// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How to declare a variable that another file of this library defines.
#ifndef TPRT_CORE_PLAIN_HIDDEN_H
#define TPRT_CORE_PLAIN_HIDDEN_H

// Stands at a variable that another file defines, so that its address is not
// read from the GOT. -fvisibility=hidden does not do this: it applies to
// definitions only.
#define TPRT_HIDDEN __attribute__((visibility("hidden")))

#endif
