// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TPRT_OPTIONS=skip=GLOB skips the calls of profilers.
#ifndef TPRT_OPTIONS_SKIP_OPTION_H
#define TPRT_OPTIONS_SKIP_OPTION_H

namespace tprt {

// Skips the calls of profilers until the process ends.
void startSkipping();

} // namespace tprt

#endif
