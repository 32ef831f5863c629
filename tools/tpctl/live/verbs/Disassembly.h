// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions of x86-64 and AArch64 as text.

#ifndef TPCTL_LIVE_VERBS_DISASSEMBLY_H
#define TPCTL_LIVE_VERBS_DISASSEMBLY_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace tpctl {

enum class Machine { X86_64, AArch64 };

/// The machine that an ELF file is for. A file that cannot be read is taken for
/// one of x86-64.
Machine machineOf(llvm::StringRef Path);

/// As objdump and gdb show it, for x86-64 in AT&T syntax; a jump leads to an
/// address that counts as `Address` does. Empty: no instruction. One thread at
/// a time.
std::string disassemble(llvm::StringRef Bytes, uint64_t Address, Machine For);

} // namespace tpctl

#endif
