// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The USDT probes that a file has, as its notes of SystemTap's format tell
// them: section .note.stapsdt, notes "stapsdt" of type 3. The format is that of
// "UserSpaceProbeImplementation" in SystemTap's wiki.

#ifndef TPCTL_USDT_NOTES_H
#define TPCTL_USDT_NOTES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tpctl::usdt {

/// A place of a probe. Several places may have one name.
struct Note {
  std::string Provider, Name;
  std::string Arguments; ///< as in "-4@%edi 8@-16(%rbp)"
  uint64_t Address = 0;  ///< of the instruction, in the file
  /// The address of a number of 16 bits: not 0 while the probe is watched. 0:
  /// the probe has none.
  uint64_t Semaphore = 0;

  std::string text() const { return "usdt:" + Provider + ":" + Name; }
};

struct FileNotes {
  std::vector<Note> All;
  bool IsX86 = true;
  /// What could not be read, as a sentence; empty if all was. The notes before
  /// a damaged one are read.
  std::string Fault;
  /// The addresses in the file of the symbols that arguments name.
  std::map<std::string, uint64_t> Symbols;
  /// The parts of the file that are loaded as code.
  struct Segment {
    uint64_t Offset, Bytes, Address;
  };
  std::vector<Segment> Code;

  /// The address in the file of the byte that a mapping of code begins with.
  std::optional<uint64_t> addressOf(uint64_t Offset) const;
};

/// Reads a section of notes. `BaseNow` is the address of section .stapsdt.base,
/// which a prelinked file has moved together with the code. 0: there is none.
llvm::Error parseNotes(llvm::ArrayRef<uint8_t> Section, uint64_t BaseNow,
                       std::vector<Note> &To);

/// Reads a file. One that is no ELF file, or has no such notes, has none.
FileNotes readNotes(llvm::StringRef Path);

} // namespace tpctl::usdt

#endif
