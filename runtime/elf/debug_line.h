// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A reader of .debug_line. It only looks for the file and line of each
// function's first row, and skips the units that name no file of interest. The
// data is not trusted: a cursor that runs out of bytes yields zeros, and the
// unit ends there. Not async-signal-safe, because it opens and reads the
// module's file.
#ifndef TPRT_ELF_DEBUG_LINE_H
#define TPRT_ELF_DEBUG_LINE_H

#include "modules/module.h"

namespace tprt {

struct LineReader;

// What the caller does with what was read.
struct LineVisitor {
  // Whether code that begins in the file with this path is of interest. If the
  // member is nullptr, code of every file is.
  bool (*wants)(LineVisitor &visitor, const char *path);
  // Called for each piece of code found. The code between these addresses,
  // which are those of the module's file, begins at `line` of the reader's
  // current file.
  void (*found)(LineVisitor &visitor, const LineReader &reader, uint64_t from,
                uint64_t to, uint32_t line);
};

// nullptr, or why the module's file cannot tell.
const char *readLineTable(const Module *module, LineVisitor &visitor);

constexpr size_t kMostPath = 4096;
// Writes the path of the reader's current file.
void writePath(const LineReader &reader, char (&path)[kMostPath]);

} // namespace tprt

#endif
