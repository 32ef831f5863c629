// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The general registers that expressions can name at single instructions, with
// DWARF's numbers: psABI x86-64, figure 3.36, and "DWARF for the Arm 64-bit
// Architecture", section 4.1.

#ifndef TPCTL_REGISTERS_H
#define TPCTL_REGISTERS_H

#include "Types.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

namespace tpctl::expressions {

/// The number of a register, whose name has no '$'.
inline std::optional<unsigned> registerNumber(llvm::StringRef Name,
                                              bool IsX86) {
  static constexpr llvm::StringLiteral Named[] = {"rax", "rdx", "rcx", "rbx",
                                                  "rsi", "rdi", "rbp", "rsp"};
  const auto *Found = llvm::find(Named, Name);
  if (IsX86 && Found != std::end(Named))
    return static_cast<unsigned>(Found - Named);
  unsigned Number;
  if (!IsX86 && Name == "sp")
    return 31;
  if (!Name.consume_front(IsX86 ? "r" : "x") || Name.getAsInteger(10, Number) ||
      (Name.size() > 1 && Name[0] == '0'))
    return std::nullopt;
  bool Is = IsX86 ? Number >= 8 && Number <= 15 : Number <= 30;
  return Is ? std::optional(Number) : std::nullopt;
}

/// Whether some processor has a register of this name.
inline bool isRegisterName(llvm::StringRef Name) {
  return registerNumber(Name, true) || registerNumber(Name, false);
}

} // namespace tpctl::expressions

#endif
