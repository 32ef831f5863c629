// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions of x86-64 and AArch64 as text.

#ifndef TPCTL_LIVE_VERBS_DISASSEMBLY_H
#define TPCTL_LIVE_VERBS_DISASSEMBLY_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace tpctl {

enum class Machine { X86_64, AArch64 };

/// The machine that an ELF file is for. An unreadable file counts as x86-64.
Machine machineOf(llvm::StringRef Path);

/// The instruction as objdump and gdb show it, for x86-64 in AT&T syntax. The
/// target of a jump is relative to the same base as `Address`. Empty if there
/// is no valid instruction. One thread at a time.
std::string disassemble(llvm::StringRef Bytes, uint64_t Address, Machine For);

} // namespace tpctl

#endif
