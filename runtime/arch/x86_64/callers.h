// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the registers of a caller by unwind tables. Used after a hit was cut
// short in code of this library, in a trampoline or in the C library. Runs in
// signal handlers: async-signal-safe, needs little stack.
#ifndef TPRT_ARCH_CALLERS_H
#define TPRT_ARCH_CALLERS_H

#include "sites/arch.h"

namespace tprt {

// Registers by their DWARF numbers (psABI, 3.6.2). In an outer frame, the
// caller-saved registers have undefined values.
struct Registers {
  enum : uint8_t { kRax, kRdx, kRcx, kRbx, kRsi, kRdi, kRbp, kRsp, kR8, kR9 };
  enum : uint8_t { kR10 = 10, kR11 = 11, kPc = 16, kCount = 17 };
  uint64_t value[kCount];

  uint64_t &operator[](uint8_t number) { return value[number]; }
};

// Replaces the registers with those of the next outer frame. `isCalled` says
// that the program counter is a return address, and not the address of an
// interrupted instruction. The return address is found only if the table
// describes it as stored in memory. The trampolines' tables do not. Returns
// false if the tables do not describe the frame.
bool stepOut(const UnwindTables &tables, Registers &registers, bool isCalled,
             Peek peek);

} // namespace tprt

#endif
