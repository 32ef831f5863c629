// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the file of a module that a recording names: the binary itself or its
// debug file. The build-id shows whether a file is the right one. Reads files
// without changing them; safe on any thread.

#ifndef TP_TRACE_BINARYFINDER_H
#define TP_TRACE_BINARYFINDER_H

#include "Tables.h"

namespace tp::trace {

struct FoundBinary {
  enum Kind : uint8_t {
    Missing,    ///< no file of that name or build-id is there
    OtherBuild, ///< a file is there, but its build-id differs
    Unreadable, ///< a file is there, but it is no ELF file
    Found
  };
  Kind What = Missing;
  std::string Path; ///< empty if it is missing
  std::string Text; ///< the other build-id, or why the file cannot be read
  bool HasLines = false;
};

class BinaryFinder {
public:
  /// The places to search. Each place is a folder or a file.
  explicit BinaryFinder(std::vector<std::string> Places = {})
      : Places(std::move(Places)) {}

  /// Searches each place, and then tries the path in the recording. A file with
  /// line numbers is preferred to a file without line numbers. If the recording
  /// has no build-id for the module, the file's name decides.
  FoundBinary find(const Module &M) const;
  llvm::ArrayRef<std::string> places() const { return Places; }

private:
  std::vector<std::string> candidates(const Module &M) const;
  std::vector<std::string> Places;
};

} // namespace tp::trace

#endif
