// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The processor's instruction for system calls, for os/.
#ifndef TPRT_BASE_DIRECT_CALL_H
#define TPRT_BASE_DIRECT_CALL_H

#include "systemcall.h" // the header of the architecture: systemCall()

#endif
