// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles a file of handlers (tprt/run.h) by the user's own compiler.

#ifndef TPCTL_LIVE_RUN_HANDLERBUILD_H
#define TPCTL_LIVE_RUN_HANDLERBUILD_H

#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <string>

namespace tpctl {

/// The shared library that the compiler makes of a file. `Compiler` is a
/// command with its options; "": $CC, clang, gcc or cc. A file that is a shared
/// library is taken as it is. The compiler's messages go to standard error.
/// With `Verbose`, its command is printed, too.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
buildHandlers(const std::string &Path, const std::string &Compiler,
              bool Verbose);

} // namespace tpctl

#endif
