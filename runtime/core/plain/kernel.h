// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The processor's instruction for system calls, for os/.
#ifndef TPRT_PLAIN_KERNEL_H
#define TPRT_PLAIN_KERNEL_H

#include "systemcall.h" // the architecture's: systemCall()

#endif
