// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a variable is declared that another file of this library defines.
#ifndef TPRT_CORE_PLAIN_HIDDEN_H
#define TPRT_CORE_PLAIN_HIDDEN_H

// At variables of other files: their addresses are no matter of the GOT.
// -fvisibility=hidden speaks of definitions alone.
#define TPRT_HIDDEN __attribute__((visibility("hidden")))

#endif
