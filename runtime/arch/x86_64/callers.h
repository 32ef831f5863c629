// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the registers of a caller by unwind tables: in code of this library,
// in the trampolines and in the C library, where a hit has ended in the middle.
// Runs in signal handlers: async-signal-safe, takes little stack.
#ifndef TPRT_ARCH_CALLERS_H
#define TPRT_ARCH_CALLERS_H

#include "sites/arch.h"

namespace tprt {

// Registers by their DWARF numbers (psABI, 3.6.2). What a caller expects to be
// lost in a call has any value in a frame further out.
struct Registers {
  enum : uint8_t { kRax, kRdx, kRcx, kRbx, kRsi, kRdi, kRbp, kRsp, kR8, kR9 };
  enum : uint8_t { kR10 = 10, kR11 = 11, kPc = 16, kCount = 17 };
  uint64_t value[kCount];

  uint64_t &operator[](uint8_t number) { return value[number]; }
};

// Replaces the registers by those of the frame further out. `isCalled`: the
// program counter is a return address, and not that of an instruction that is
// being executed. The return address is found only where the table says that it
// lies in memory, which it does not say of the trampolines. False: nothing is
// known of the frame.
bool stepOut(const UnwindTables &tables, Registers &registers, bool isCalled,
             Peek peek);

} // namespace tprt

#endif
