// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A reader of .debug_line. It only finds the file and line of each function's
// first row, and skips units that name no file of interest. The data is not
// trusted: if a cursor runs out of bytes, it returns zeros, and the unit ends.
// Not async-signal-safe, because it opens and reads the module's file.
#ifndef TPRT_ELF_DEBUG_LINE_H
#define TPRT_ELF_DEBUG_LINE_H

#include "modules/module.h"

namespace tprt {

struct LineReader;

// The caller's callbacks for the data that is read.
struct LineVisitor {
  // Whether code that begins in the file with this path is of interest. If this
  // member is nullptr, the code of every file is of interest.
  bool (*wants)(LineVisitor &visitor, const char *path);
  // Called for each range of code. The code between these addresses begins at
  // `line` of the reader's current file. The addresses are those of the
  // module's file.
  void (*found)(LineVisitor &visitor, const LineReader &reader, uint64_t from,
                uint64_t to, uint32_t line);
};

// Returns nullptr, or the reason why the module's line table cannot be read.
const char *readLineTable(const Module *module, LineVisitor &visitor);

constexpr size_t kMostPath = 4096;
// Writes the path of the reader's current file.
void writePath(const LineReader &reader, char (&path)[kMostPath]);

} // namespace tprt

#endif
