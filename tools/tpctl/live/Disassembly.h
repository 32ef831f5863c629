// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions of x86-64 as text.

#ifndef TPCTL_LIVE_DISASSEMBLY_H
#define TPCTL_LIVE_DISASSEMBLY_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace tpctl {

/// In AT&T syntax, as objdump and gdb show it; a jump leads to an address that
/// counts as `Address` does. Empty: no instruction. One thread at a time.
std::string disassemble(llvm::StringRef Bytes, uint64_t Address);

} // namespace tpctl

#endif
