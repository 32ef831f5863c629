// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compresses a recording, for `tpctl pack` and `tpctl record --compress`.

#ifndef TPCTL_PACK_H
#define TPCTL_PACK_H

#include "llvm/Support/Error.h"
#include <string>

namespace tpctl {

constexpr int PackLevel = 3; ///< of zstd

struct PackSizes {
  uint64_t Before = 0, After = 0;
};

/// Both paths may name the same file. The file is replaced after everything has
/// been written.
llvm::Expected<PackSizes> packRecording(const std::string &From,
                                        const std::string &To, int Level);

} // namespace tpctl

#endif
