// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether tools make progress. Async-signal-safe.
#ifndef TPRT_OPTIONAL_CONTROL_PROGRESS_H
#define TPRT_OPTIONAL_CONTROL_PROGRESS_H

#include <stddef.h>
#include <stdint.h>

namespace tprt {

// The nanoseconds that the threads of a process have run; 0: that is not known,
// because the process has ended or cannot be seen from here.
uint64_t processorTime(int32_t pid);

// Whether a request asks for a page behind the first one.
bool isLaterPage(const char *request, size_t bytes);

} // namespace tprt

#endif
