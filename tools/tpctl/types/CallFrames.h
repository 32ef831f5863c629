// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the frames of a binary's functions are, by its unwind tables. One
// thread at a time.

#ifndef TPCTL_TYPES_CALLFRAMES_H
#define TPCTL_TYPES_CALLFRAMES_H

#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/DebugInfo/DWARF/DWARFDebugFrame.h"
#include "llvm/Object/ObjectFile.h"
#include <memory>
#include <optional>
#include <string>

namespace tpctl::types {

/// An address: a register's value and an offset.
struct FrameAddress {
  unsigned Register = 0; ///< DWARF's number
  int64_t Offset = 0;
};

/// The canonical frame address before an instruction.
struct CanonicalFrame : FrameAddress {
  /// No other instruction of the function has it further from this register:
  /// the frame is whole.
  bool IsWhole = false;
};

class CallFrames {
public:
  /// `Path` is the binary itself, because a debug file has no unwind tables.
  explicit CallFrames(std::string Path) : Path(std::move(Path)) {}
  /// The canonical frame address (DWARF 5, section 6.4) before the instruction
  /// at an address of the file. nullopt: it is unknown, or no such sum.
  std::optional<CanonicalFrame> canonicalAt(uint64_t Address);

private:
  void open();
  const llvm::dwarf::FDE *find(uint64_t Address);

  std::string Path;
  bool IsOpen = false;
  llvm::object::OwningBinary<llvm::object::ObjectFile> File;
  std::unique_ptr<llvm::DWARFContext> Context;
  const llvm::DWARFDebugFrame *Frames = nullptr;
  const llvm::dwarf::FDE *Last = nullptr; ///< the function before
};

} // namespace tpctl::types

#endif
